// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/json/whole_run_json.hpp"

#include <utility>

namespace waitdiag {

nlohmann::ordered_json whole_run_entry(const Report::WholeRun& whole, nlohmann::ordered_json time,
                                       nlohmann::ordered_json efficiency) {
  using Json = nlohmann::ordered_json;
  Json sites = Json::array();
  for (const Report::WholeRun::CallSite& site : whole.call_sites)
    sites.push_back({{"call_path", site.call_path},
                     {"calls", site.calls},
                     {"seconds", tidy(site.seconds)},
                     {"shortest_s", tidy(site.shortest_s)},
                     {"longest_s", tidy(site.longest_s)},
                     {"messages", site.messages},
                     {"bytes", site.bytes}});
  return {{"runtime_s", tidy(whole.runtime_s)},
          {"recorded_s", tidy(whole.recorded_s)},
          {"excerpts", whole.excerpts},
          {"steps", whole.steps},
          {"mpi_calls", whole.mpi_calls},
          {"messages", whole.messages},
          {"message_bytes", whole.message_bytes},
          {"collective_bytes", whole.collective_bytes},
          {"time", std::move(time)},
          {"efficiency", std::move(efficiency)},
          {"unseen_mpi_s", tidy(whole.unseen_mpi_s)},
          {"call_sites", sites}};
}

}  // namespace waitdiag
