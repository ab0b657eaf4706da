// A recorded run with fewer iterations of its longest loop.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/simulation/prediction/call_loops.hpp"
#include "analyzer/simulation/prediction/steady_state.hpp"

namespace waitdiag {

// Ranks need not do the same: each has loops of its own, with equally many iterations. Calls of two
// iterations are alike only if all of their records are: call path, peers, sizes, tags, communicators, which
// call completes which.
class RecordedIterations : public IterationSource {
 public:
  explicit RecordedIterations(const Trace& trace);  // which must outlive it
  std::uint32_t iterations() const override { return iterations_; }
  Trace shortened(std::uint32_t iterations) override;
  LoopCalls last_calls(std::uint32_t iterations) const override;
  double difference(std::uint32_t iterations, std::uint32_t period) const override;

 private:
  void choose_loops(const std::vector<LoopsByCount>& found);
  void add_times();

  // Time of each iteration that the replay takes as recorded, up to its end: by loop, location and iteration.
  struct Loop {
    std::vector<std::vector<double>> until{};
  };
  const Trace& trace_;
  std::uint32_t iterations_ = 1;
  std::vector<std::vector<CallLoop>> loops_;  // by location, in order
  std::vector<Loop> times_;                   // by place in the order of loops
};

}  // namespace waitdiag
