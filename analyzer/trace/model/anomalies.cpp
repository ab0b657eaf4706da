// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/anomalies.hpp"

#include <algorithm>

#include "analyzer/trace/model/printable.hpp"

namespace waitdiag {

void Anomalies::add(std::string_view id, Gravity gravity, std::string_view text, std::uint64_t count) {
  const auto known =
      std::find_if(anomalies_.begin(), anomalies_.end(), [&](const Anomaly& a) { return a.id == id; });
  if (known == anomalies_.end()) {
    anomalies_.push_back({std::string(id), gravity, count, printable(text)});
  } else {
    known->count += count;
  }
}

void Anomalies::merge(const Anomalies& other) {
  for (const Anomaly& anomaly : other.anomalies_)
    add(anomaly.id, anomaly.gravity, anomaly.text, anomaly.count);
}

std::uint64_t Anomalies::count(std::string_view id) const {
  const auto known =
      std::find_if(anomalies_.begin(), anomalies_.end(), [&](const Anomaly& a) { return a.id == id; });
  return known == anomalies_.end() ? 0 : known->count;
}

}  // namespace waitdiag
