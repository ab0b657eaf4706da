// Shortcuts to a report and to the numbers in it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/summary/make_report.hpp"
#include "tests/support/places.hpp"

namespace waitdiag {

inline Report report_of(const Trace& trace, const DiagnosisOptions& options = {}) {
  Stages stages;
  return make_report(trace, options, stages);
}
inline Report report_of(std::string_view text, const DiagnosisOptions& options = {}) {
  return report_of(parse_text(text), options);
}

// Missing rows read as zero: "no such wait" and "a wait of no length" are the same to a test.
inline double waiting(const Report& report, std::string_view pattern) {
  for (const Report::Wait& wait : report.waits) {
    if (wait.pattern == pattern) return wait.total_s;
  }
  return 0;
}
inline double waiting(const Report& report, std::string_view pattern, std::int64_t rank) {
  for (const Report::Wait& wait : report.waits) {
    if (wait.pattern != pattern) continue;
    for (const Report::ByRank& entry : wait.by_rank) {
      if (entry.rank == rank) return entry.seconds;
    }
  }
  return 0;
}
inline std::uint64_t instances(const Report& report, std::string_view pattern) {
  for (const Report::Wait& wait : report.waits) {
    if (wait.pattern == pattern) return wait.count;
  }
  return 0;
}
inline const Report::Cause* cause(const Report& report, std::string_view call_path) {
  for (const Report::Cause& candidate : report.causes) {
    if (candidate.call_path == call_path) return &candidate;
  }
  return nullptr;
}
inline double remainder(const Report& report, std::string_view id) {
  for (const Report::Remainder& entry : report.remainders) {
    if (entry.id == id) return entry.seconds;
  }
  return 0;
}

// A public trace, if this machine has it.
inline std::filesystem::path public_trace(std::string_view name) {
  return test::public_traces() / name / "traces.otf2";
}

inline double rounded(double value, int digits) {
  const double unit = std::pow(10.0, digits);
  return std::round(value * unit) / unit;
}

}  // namespace waitdiag
