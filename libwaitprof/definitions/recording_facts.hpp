// Facts about a recording that do not depend on its events, and facts about a process at its start. One list
// of them defines the bytes that ranks send each other, the journal's first record and the archive's
// properties.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "libwaitprof/definitions/clock_offset.hpp"
#include "libwaitprof/definitions/definitions.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitprof::archive {

// Calls visit(property of the archive or nullptr, fact) for each fact. Empty texts are not written as
// properties.
template <class Facts, class Visit>
void for_each_fact(Facts& facts, Visit&& visit) {
  visit(schema::kMpi, facts.mpi);
  visit(schema::kSampling, facts.sampling);
  visit(schema::kSamplingHz, facts.sampling_hz);
  visit(schema::kCounters, facts.counters);
  visit(schema::kMpiFilter, facts.mpi_filter);
  visit(schema::kProfile, facts.profile);
  visit(schema::kProblem, facts.problem);
  visit(schema::kSamplingRanks, facts.sampling_ranks);
  visit(schema::kFunctionFilter, facts.function_filter);
  visit(schema::kToolInFront, facts.tool_in_front);
  visit(schema::kToolBehind, facts.tool_behind);
  visit(nullptr, facts.realtime_offset);
}

// The facts of this process.
RecordingFacts recording_facts();
Rank this_rank();

// The first record of a rank's journal.
struct ProcessStart {
  Rank rank;
  std::string program;
  std::uint32_t world_size = 0;
  bool alone = false;         // World::alone; the clock's offset was not measured
  bool part_of_node = false;  // World::part_of_node; other nodes have the rest
  ClockOffset clock;          // to rank 0, as measured at the start
  RecordingFacts recording;
};

}  // namespace waitprof::archive
