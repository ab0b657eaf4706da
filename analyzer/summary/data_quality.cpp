// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/data_quality.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace waitdiag {
namespace {

constexpr std::array kSeverity = {"info", "warning", "serious"};  // by Gravity

// Below this share of the execution time unsampled computation cannot change the order of causes.
constexpr double kNegligible = 0.01, kGrave = 0.1;

void add_unsampled(const Profile& profile, Anomalies& anomalies) {
  const double share = profile.unsampled_nanoseconds / profile.total_nanoseconds;
  if (!(share > kNegligible)) return;
  char text[200];
  std::snprintf(text, sizeof text,
                "%.3f s of computation between MPI calls (%.0f %% of the core time) are neither instrumented "
                "nor sampled; "
                "they count for the function around both calls",
                profile.unsampled_nanoseconds * 1e-9, share * 100);
  anomalies.add("unsampled_seconds", share > kGrave ? Gravity::Warning : Gravity::Info, text,
                profile.unsampled_stretches);
}

}  // namespace

std::vector<Report::Quality> data_quality(const Trace& trace, const Anomalies& matching,
                                          const Anomalies& detection, const Profile& profile) {
  Anomalies all = trace.anomalies();
  all.merge(matching);
  all.merge(detection);
  add_unsampled(profile, all);
  if (all.count("clock_violations") == 0) {
    all.add("clock_violations", Gravity::Info, "no message was received before it was sent", 0);
  }
  std::vector<Report::Quality> rows;
  for (const Anomaly& anomaly : all.all()) {
    rows.push_back(
        {anomaly.id, kSeverity[static_cast<std::size_t>(anomaly.gravity)], anomaly.text, anomaly.count});
  }
  const auto gravity = [](const Report::Quality& row) {
    return std::find(kSeverity.begin(), kSeverity.end(), row.severity) - kSeverity.begin();
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Report::Quality& a, const Report::Quality& b) {
    return gravity(a) > gravity(b);
  });
  return rows;
}

}  // namespace waitdiag
