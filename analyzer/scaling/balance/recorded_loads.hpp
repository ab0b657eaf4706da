// What each rank of a recorded run had to do.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/scaling/balance/balance_model.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

enum class LoadKind : std::uint8_t {
  Computation,  // seconds
  Visits,       // visits of instrumented functions
};

struct RecordedLoads {
  std::vector<double> loads{};  // by rank; per step on average, if there are steps
  std::uint64_t steps = 0;      // 0: the loads are those of the whole run
  double largest_by_step = 0;   // the largest load of each step, per step on average
  double runtime_s = 0;
  double communication = 0;  // time in MPI calls without waiting / computation, all ranks
  double efficiency = 0;     // mean computation / run time
};

// Of the threads that initialised MPI; `call_path` (call_paths_named()) limits it to what runs within that
// call path; "" means no limit. Throws TraceError when no such load was recorded.
RecordedLoads recorded_loads(const Trace& trace, LoadKind kind, const std::string& call_path);

// As balance_case(), with measured values. Where the domain does not give the cost of communication, the
// recording does.
BalanceReport::Case recorded_case(std::string name, RecordedLoads recorded, BalanceDomain domain);

}  // namespace waitdiag
