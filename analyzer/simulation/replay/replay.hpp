// A program on a machine: discrete-event simulation of its messages. Waiting is a result: none of it is taken
// from the trace.
//
// Each location runs its steps until it has to wait for something that is not known yet. Collective
// operations are messages too (collective_schedule.hpp), sent by the members; nonblocking ones proceed by
// themselves.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/simulation/machine/collective_table.hpp"
#include "analyzer/simulation/machine/placement.hpp"
#include "analyzer/simulation/replay/program.hpp"
#include "analyzer/simulation/replay/sent_sizes.hpp"
#include "analyzer/trace/derived/retimed.hpp"

namespace waitdiag {

struct ReplayTarget {
  const Machine& machine;
  const Placement& placement;
  const CollectiveTable& collectives;
  // Collective operations of very many messages are timed by rounds, where that makes no difference (timed_rounds.hpp).
  bool by_rounds = true;
};

struct Replayed {
  struct Location {
    Time end{};
    bool main = true;        // not one of the rank's further threads
    Duration computation{};  // between MPI calls
    Duration waiting{};      // in calls, until the other side had come
    Duration kept{};         // in calls, as recorded
    Duration in_calls{};     // all of it
  };
  // A location that cannot go on, and the one it waits for.
  struct Stuck {
    std::uint32_t location = 0;
    std::uint32_t op = 0;
    std::uint32_t waits_for = 0;  // location
    std::string what{};  // "in MPI's sense": "to receive 4096 bytes", "to send", "to come to the collective"
  };
  std::vector<Location> locations;
  std::vector<NewTimes> times;  // by location, if asked for
  std::vector<Stuck> cycle;     // not empty: the run cannot finish; in the order of who waits for whom
  std::uint64_t messages = 0;   // sent, those of collective operations included
  SentSizes sizes{};            // of these
  std::uint64_t bounded =
      0;  // collective operations whose delays at shared ports are left out (timed_rounds.hpp)
  Duration most_delay{};  // and how long these are at most, together
  Time begin{}, end{};
};

Replayed replay(const Program& program, const ReplayTarget& target, bool keep_times);

}  // namespace waitdiag
