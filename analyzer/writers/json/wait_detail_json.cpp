// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/json/wait_detail_json.hpp"

#include "analyzer/writers/json/whole_run_json.hpp"

namespace waitdiag {

nlohmann::ordered_json candidate_list(const Report::Wait& wait) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Report::Candidate& candidate : wait.candidates)
    list.push_back({{"rank", candidate.rank},
                    {"call_path", candidate.call_path},
                    {"late_rank", candidate.late_rank},
                    {"count", candidate.count},
                    {"seconds", tidy(candidate.seconds)},
                    {"charged_s", tidy(candidate.charged_s)}});
  return list;
}

nlohmann::ordered_json clock_violation_list(const Report& report) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Report::ClockViolation& pair : report.clock_violations)
    list.push_back({{"from", pair.from},
                    {"to", pair.to},
                    {"in", pair.in},
                    {"count", pair.count},
                    {"largest_s", tidy(pair.largest_s)}});
  return list;
}

void add_eager_threshold(const Report::Run& run, nlohmann::ordered_json& facts) {
  if (run.eager_threshold_source.empty()) return;
  facts["eager_threshold_bytes"] = run.eager_threshold_bytes;
  facts["eager_threshold_source"] = run.eager_threshold_source;
}

}  // namespace waitdiag
