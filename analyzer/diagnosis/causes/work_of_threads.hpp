// What a thread did that another one of its process waited for, where it calls MPI itself: in a join, for a condition
// variable or a lock. The wait is an operation of the one that waits; what made it long are the computation and the waits
// of the other one meanwhile.
//
//   main       solve...| pthread_join ........................|
//   thread B   ....... | MPI_Recv (waits) | solve ............| ends
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/activities/activities.hpp"
#include "analyzer/diagnosis/detection/wait_states.hpp"

namespace waitdiag {

struct WorkOfThreads {
  struct Waited {
    std::uint32_t wait = 0;  // index in WaitStates::waits
    Location location{};
    double nanoseconds = 0;  // of it, meanwhile
  };
  using Times = std::map<std::pair<std::size_t, Location>, double>;  // by slot of Activities and location; ns
  Times ran{};
  std::vector<Location> threads{};  // in the order in which they were waited for last
  std::vector<Waited> waits{};
  double waited = 0;

  // The last thread has held the others up: what is alike is taken from those before it first.
  Times longer_than(const WorkOfThreads& other) const;
};

class ThreadStretches {
 public:
  ThreadStretches(const Trace& trace, const WaitStates& states, const Activities& activities,
                  std::span<const ThreadNeed> needs);

  // Is it a wait for a thread?
  bool is_one(CallPathId call) const;
  // Of the threads for which `location` waited in such calls, from call `first` up to `last`, which does not count.
  WorkOfThreads behind(CallPathId call, Location location, std::uint32_t first, std::uint32_t last) const;

 private:
  void add(OpRef call, OpRef on, WorkOfThreads& work) const;
  void add_gap(Location location, std::uint32_t gap, Time begin, Time end, WorkOfThreads& work) const;
  void add_call(OpRef call, Time begin, Time end, WorkOfThreads& work) const;

  const Trace& trace_;
  const WaitStates& states_;
  const Activities& activities_;
  std::vector<ThreadNeed> needs_;  // of such calls, by call
};

}  // namespace waitdiag
