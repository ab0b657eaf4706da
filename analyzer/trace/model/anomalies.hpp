// What was odd in the data: how often, how much it matters, and a sentence for the reader. Anomalies never
// stop an analysis; they end in the report's data quality section.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace waitdiag {

// Serious: results may be wrong, the verdict line says so.
enum class Gravity : std::uint8_t { Info, Warning, Serious };

struct Anomaly {
  std::string id;  // stable, snake_case: "unmatched_receives"
  Gravity gravity = Gravity::Info;
  std::uint64_t count = 0;
  std::string text;  // one plain sentence; the first occurrence's place where it helps
};

class Anomalies {
 public:
  // Counts one more (or `count` more) of `id`; the first call's text is kept.
  void add(std::string_view id, Gravity gravity, std::string_view text, std::uint64_t count = 1);
  void merge(const Anomalies& other);
  std::uint64_t count(std::string_view id) const;
  const std::vector<Anomaly>& all() const { return anomalies_; }

 private:
  std::vector<Anomaly> anomalies_;
};

}  // namespace waitdiag
