// Facts about the whole recording, kept in the anchor file.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "libwaitprof/definitions/recording_facts.hpp"
#include "libwaitprof/definitions/write_definitions.hpp"
#include "libwaitprof/schema/file_checks.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitprof::archive {
namespace {

constexpr std::size_t kLongestTopology = 32 * 1024;  // larger graphs are cut: the anchor is read as one piece

template <typename Numbers>
std::string joined(const Numbers& numbers, char separator) {
  std::string text;
  for (const auto number : numbers) {
    text += (text.empty() ? "" : std::string(1, separator)) + std::to_string(number);
  }
  return text;
}

std::string graph_text(const Communicator& c) {
  const std::span all(c.edges);
  const std::size_t nodes = std::min(c.dims.empty() ? 0 : static_cast<std::size_t>(c.dims[0]), all.size());
  return "graph index=" + joined(all.first(nodes), ',') + " edges=" + joined(all.subspan(nodes), ',');
}

std::string topology_text(const Communicator& c) {
  switch (c.topology) {
    case Topology::Cartesian:
      return "cart dims=" + joined(c.dims, 'x') + " periods=" + joined(c.periods, ',');
    case Topology::Graph:
      return graph_text(c);
    default: {
      std::vector<Neighbours> by_rank = c.neighbours;
      std::sort(by_rank.begin(), by_rank.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
      std::string text = "distgraph";
      for (const Neighbours& neighbours : by_rank) {
        text += " " + std::to_string(neighbours.rank) + ":" + joined(neighbours.sources, ',') + ">" +
                joined(neighbours.destinations, ',');
      }
      return text;
    }
  }
}

class PropertyWriter {
 public:
  explicit PropertyWriter(OTF2_Archive* archive) : archive_(archive) {}
  void text(const std::string& name, const std::string& value) {
    good_ = OTF2_Archive_SetProperty(archive_, name.c_str(), value.c_str(), true) == OTF2_SUCCESS && good_;
  }
  void flag(const char* name, bool value) {
    good_ = OTF2_Archive_SetBoolProperty(archive_, name, value, true) == OTF2_SUCCESS && good_;
  }
  bool good() const { return good_; }

 private:
  OTF2_Archive* archive_;
  bool good_ = true;
};

std::uint64_t sum_over(const std::vector<Rank>& ranks, std::uint64_t Rank::*count) {
  return std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0},
                         [count](std::uint64_t total, const Rank& rank) { return total + rank.*count; });
}

crash_safe::LeftOut left_out_by(const std::vector<Rank>& ranks) {
  crash_safe::LeftOut all;
  for (const Rank& rank : ranks) {
    all += rank.left_out;
  }
  return all;
}

void write_counts(PropertyWriter& properties, const std::vector<Rank>& ranks) {
  constexpr std::pair<const char*, std::uint64_t Rank::*> kCounts[] = {
      {schema::kClampedTimes, &Rank::clamped_times},
      {schema::kUnknownFrames, &Rank::unknown_frames},
      {schema::kTruncatedCallPaths, &Rank::truncated_call_paths},
      {schema::kLostCallPaths, &Rank::lost_call_paths},
      {schema::kLostRegions, &Rank::lost_regions},
      {schema::kRegionsWithoutMpi, &Rank::regions_without_mpi},
  };
  for (const auto& [name, count] : kCounts) {
    properties.text(name, std::to_string(sum_over(ranks, count)));
  }
  const crash_safe::LeftOut left_out = left_out_by(ranks);
  properties.text(schema::kDroppedEvents, std::to_string(left_out.dropped_events));
  properties.text(schema::kDroppedSamples, std::to_string(left_out.dropped_samples));
  for (const auto& [name, count] : {std::pair{schema::kUnsampledThreads, left_out.unsampled_threads},
                                    {schema::kLostHandles, left_out.lost_handles},
                                    {schema::kLostSwitches, left_out.lost_switches},
                                    {schema::kUntimedOperators, left_out.untimed_operators},
                                    {schema::kCutShortCalls, left_out.cut_short_calls},
                                    {schema::kFailedPolls, left_out.failed_polls}}) {
    if (count > 0) {
      properties.text(name, std::to_string(count));
    }
  }
}

void write_facts(PropertyWriter& properties, const Definitions& definitions) {
  for_each_fact(definitions.recording, [&properties](const char* name, const auto& fact) {
    if constexpr (!std::is_same_v<decltype(fact), const std::string&>) {
      if (name != nullptr) {
        properties.text(name, std::to_string(fact));
      }
    } else if (!fact.empty()) {
      properties.text(name, fact);
    }
  });
  if (!definitions.recording.function_filter.empty()) {
    properties.text(schema::kFilteredRegions,
                    std::to_string(left_out_by(definitions.ranks).filtered_regions));
  }
}

void write_other_jobs(PropertyWriter& properties, const std::vector<Rank>& ranks) {
  std::uint64_t parents = 0, spawned = 0, connected = 0;
  for (const Rank& rank : ranks) {
    parents = std::max<std::uint64_t>(parents, rank.other_jobs.parents);
    spawned += rank.other_jobs.spawned;
    connected += rank.other_jobs.connected;
  }
  const std::pair<const char*, std::uint64_t> counts[] = {{schema::kParentProcesses, parents},
                                                          {schema::kSpawnedProcesses, spawned},
                                                          {schema::kConnectedProcesses, connected},
                                                          {schema::kUntracked, left_out_by(ranks).untracked}};
  for (const auto& [name, count] : counts) {
    if (count > 0) {
      properties.text(name, std::to_string(count));
    }
  }
}

// The mean over the ranks that measured it; 0: none did.
std::uint64_t mean_cost(const std::vector<Rank>& ranks, std::uint64_t Rank::*cost) {
  const auto measured =
      std::count_if(ranks.begin(), ranks.end(), [cost](const Rank& rank) { return rank.*cost != 0; });
  return measured != 0 ? sum_over(ranks, cost) / static_cast<std::uint64_t>(measured) : 0;
}

// Ranks work at the same time: of the one that had most of it.
std::uint64_t largest_cost(const std::vector<Rank>& ranks, std::uint64_t Rank::*cost) {
  std::uint64_t most = 0;
  for (const Rank& rank : ranks) {
    most = std::max(most, rank.*cost);
  }
  return most;
}

void write_costs(PropertyWriter& properties, const Definitions& definitions) {
  const std::vector<Rank>& ranks = definitions.ranks;
  for (const auto& [name, cost] : {std::pair{schema::kStartCost, largest_cost(ranks, &Rank::start_cost)},
                                   {schema::kStartRan, largest_cost(ranks, &Rank::start_ran)},
                                   {schema::kEndCost, definitions.end_cost},
                                   {schema::kEndRan, definitions.end_ran}}) {
    if (cost != 0) {
      properties.text(name, std::to_string(cost));
    }
  }
  for (const auto& [name, cost] :
       {std::pair{schema::kCallCost, &Rank::call_cost}, {schema::kPollCost, &Rank::poll_cost}}) {
    if (const std::uint64_t mean = mean_cost(ranks, cost); mean != 0) {
      properties.text(name, std::to_string(mean));
    }
  }
}

// Facts about the first rank that stopped because its files were full.
void write_limit(PropertyWriter& properties, const std::vector<Rank>& ranks) {
  const Rank* first = nullptr;
  std::uint64_t end = 0;
  for (const Rank& rank : ranks) {
    end = std::max(end, rank.last_time);
    if (rank.limit_time != 0 && (first == nullptr || rank.limit_time < first->limit_time)) {
      first = &rank;
    }
  }
  if (first == nullptr) {
    return;
  }
  properties.text(schema::kLimitRank, std::to_string(first->rank));
  properties.text(schema::kLimitMib, std::to_string(first->limit_mib));
  properties.text(schema::kLimitTime, std::to_string(first->limit_time));
  properties.text(schema::kLimitLeftOut, std::to_string(end - first->limit_time));
}

// Facts about a run that did not reach MPI_Finalize.
void write_ending(PropertyWriter& properties, const Definitions& definitions) {
  if (definitions.finished) {
    return;
  }
  properties.flag(schema::kRecovered, true);
  for (const Rank& rank : definitions.ranks) {
    if (!rank.ending.empty()) {
      properties.text(schema::kEndingPrefix + std::to_string(rank.rank), rank.ending);
    }
  }
}

}  // namespace

bool write_properties(OTF2_Archive* archive, const Definitions& definitions, bool all_local) {
  OTF2_Archive_SetCreator(archive, "waitprof " WAITPROF_VERSION);
  const bool complete = all_local && !hides_communication(definitions.recording.mpi_filter) &&
                        definitions.recording.tool_in_front.empty() &&
                        definitions.ranks.size() == definitions.world_size &&
                        std::all_of(definitions.ranks.begin(), definitions.ranks.end(),
                                    [](const Rank& rank) { return rank.complete; });
  PropertyWriter properties(archive);
  properties.flag(schema::kCommunicationComplete, complete);
  // Threads are recorded where they call MPI; their creation and locks are not.
  for (const char* name : {"OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE", "OTF2::THREAD_CREATE_WAIT_EVENT_COMPLETE",
                           "OTF2::THREAD_LOCK_EVENT_COMPLETE", "OTF2::PTHREAD_LOCATION_REUSED"}) {
    properties.flag(name, false);
  }
  properties.text(schema::kVersionProperty, std::to_string(schema::kVersion));
  properties.text(schema::kProgram, definitions.texts.front());
  write_facts(properties, definitions);
  std::uint64_t clock_error = 0;
  for (const Rank& rank : definitions.ranks) {
    clock_error = std::max(clock_error, rank.clock_error);
  }
  properties.text(schema::kClockError, std::to_string(clock_error));
  write_costs(properties, definitions);
  write_counts(properties, definitions.ranks);
  write_other_jobs(properties, definitions.ranks);
  write_limit(properties, definitions.ranks);
  write_ending(properties, definitions);
  schema::for_each_checks_property(
      definitions.file_checks,
      [&properties](const std::string& name, const std::string& value) { properties.text(name, value); });
  for (std::size_t id = 0; id < definitions.communicators.size(); ++id) {
    const Communicator& communicator = definitions.communicators[id];
    if (communicator.topology != Topology::None) {
      // Property names may only contain capitals, digits and underscores.
      properties.text(schema::kTopologyPrefix + std::to_string(id),
                      topology_text(communicator).substr(0, kLongestTopology));
    }
  }
  return properties.good();
}

}  // namespace waitprof::archive
