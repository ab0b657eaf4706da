// How long a program would take on a grid of processes: a replay on a machine; and a lower bound of that
// time, which is far cheaper to compute.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>

#include "analyzer/scaling/grid/grid_program.hpp"
#include "analyzer/scaling/grid/process_grid.hpp"
#include "analyzer/simulation/machine/collective_table.hpp"
#include "analyzer/simulation/machine/placement.hpp"
#include "analyzer/simulation/replay/program.hpp"

namespace waitdiag {

class GridEvaluator {
 public:
  // Throws TraceError when the collective table of the machine cannot be found, or an iteration takes longer
  // than can be counted.
  GridEvaluator(GridProgram program, const Machine& machine);

  // Seconds for all iterations, not less than lower_bound(). At most four are replayed; the increment of the
  // last two is used for the others. Throws TraceError when the machine does not have enough cores.
  double time(const ProcessGrid& grid);
  // The same by the replay alone: for up to four iterations never less than the bound, except for rounding.
  double replayed_time(const ProcessGrid& grid);
  // Seconds; never more than time():
  //
  //   iterations * max(longest computation + time of its halo exchange without contention [+ reductions],
  //                    time that the busiest shared port needs for an exchange [+ computation after it])
  //
  // Reductions count where all ranks have equally much to do. Without contention no message arrives later and
  // no rank ends later (max-plus), and each rank with a whole block has a neighbour with a whole block.
  double lower_bound(const ProcessGrid& grid);
  // Seconds of the longest computation alone: known at once, never more than lower_bound().
  double computation_bound(const ProcessGrid& grid) const;
  // Seconds on a single rank, which neither sends nor reduces.
  double serial_time() const;
  double efficiency(const ProcessGrid& grid, double seconds) const {
    return serial_time() / (grid.ranks() * seconds);
  }
  const std::map<ProcessGrid, double>& times() const { return times_; }  // of time() so far, seconds
  std::uint64_t evaluations() const { return evaluations_; }             // calls of time() that had to replay
  void forget();  // the times; evaluations() is 0 again
  const GridProgram& program() const { return program_; }

 private:
  double reductions_ns(std::uint32_t ranks);  // least, when all begin at once

  GridProgram program_;
  const Machine& machine_;
  Machine quiet_machine_;  // the same without contention
  CollectiveTable collectives_;
  std::map<ProcessGrid, double> times_;         // seconds
  std::map<std::uint32_t, double> reductions_;  // ns, by ranks
  std::map<std::uint32_t, std::shared_ptr<const Placement>> placements_;
  const Placement& placement(std::uint32_t ranks);
  std::uint64_t evaluations_ = 0;
};

}  // namespace waitdiag
