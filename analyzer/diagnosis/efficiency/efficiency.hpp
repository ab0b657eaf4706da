// The POP efficiency tree of one run, from waits (the way of Scalasca's Advisor, no simulation):
//
//   parallel = load balance * communication        communication = serialisation * transfer
//
//   load balance = average / longest computation   serialisation = longest computation / ideal run time
//   transfer = ideal run time / run time           ideal: every MPI call takes only as long as it waits
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "analyzer/diagnosis/detection/wait_states.hpp"

namespace waitdiag {

// NaN where undefined: a run without computation has no load balance.
struct EfficiencyTree {
  double parallel = 0, load_balance = 0, communication = 0, serialisation = 0, transfer = 0;
};

// The tree of the same run with another ideal run time: that of the run re-timed without any transfer
// (Schulz; the critical path of useful time). Serialisation and transfer differ, their product does not.
EfficiencyTree efficiency_on_ideal_network(const EfficiencyTree& by_waits, Duration run_time,
                                           Duration ideal_run_time);

// Core time of all locations; `mpi` includes the time that threads spend in their own barriers.
struct TimeTotals {
  Duration total{}, mpi{}, waiting{};
  Duration computation() const { return total - mpi; }
  void add(const TimeTotals& more) {
    total += more.total;
    mpi += more.mpi;
    waiting += more.waiting;
  }
};

// Was anything recorded there? Then its efficiency is known.
bool is_known(const Trace& trace, Location location);

// The tree from what the processes did; processes must be added one by one.
class EfficiencySum {
 public:
  void add(const TimeTotals& process);
  EfficiencyTree tree(Duration run_time) const;
  Duration longest_total() const { return longest_total_; }

 private:
  Duration longest_total_{}, longest_{}, sum_{}, ideal_{};
  std::int64_t processes_ = 0;
};

// Each process counts by the thread that initialised MPI, and barriers of its threads count as computation:
// the tree is about what happens between processes.
EfficiencyTree efficiency(const Trace& trace, const WaitStates& states);
// Of all MPI time, that of calls which begin and end MPI, without waiting in them.
Duration begin_and_end(const Trace& trace, const SyncPoints& sync, const WaitStates& states);
enum class Pollers : std::uint8_t { Count, LeftOut };  // threads that do nothing but poll in vain
TimeTotals time_totals(const Trace& trace, const WaitStates& states, Pollers pollers);

}  // namespace waitdiag
