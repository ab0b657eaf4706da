// What hardware counters say of ranks, and of causes: more work there, or slower work. Counts are known between two MPI
// calls; within, each call path has its share by time on a processor.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "analyzer/diagnose.hpp"
#include "analyzer/results/report.hpp"

namespace waitdiag {

class CountedCauses {
 public:
  // Of all call paths that caused any waiting.
  CountedCauses(const Trace& trace, const Diagnosis& found);
  // Of each rank, and what the archive says of counters.
  void add_ranks(Report& report) const;
  // Of a cause on this call path, whose ranks are known.
  void explain(CallPathId path, Report::Cause& cause) const;

 private:
  struct Counted {
    double instructions = 0, cycles = 0, seconds = 0;
    void add(const Counted& more, double share = 1);
  };
  bool ran(ActivityId activity) const;
  void add(Location location, const CountedWork& work);
  static std::optional<WorkDifference> difference(const std::vector<Counted>& by_rank,
                                                  const std::vector<std::int64_t>& late);

  const Trace& trace_;
  const Activities& activities_;
  std::vector<Counted> of_rank_;
  std::map<std::size_t, std::vector<Counted>> of_slot_;  // by rank
};

// Tells of each rank, and what the archive says of counters.
inline CountedCauses add_counted_ranks(const Trace& trace, const Diagnosis& found, Report& report) {
  CountedCauses counted(trace, found);
  counted.add_ranks(report);
  return counted;
}

}  // namespace waitdiag
