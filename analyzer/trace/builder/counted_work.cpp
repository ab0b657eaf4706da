// Hardware counters, as LocationRecorder divides them: what was counted outside of operations belongs to the gap.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/builder/location_recorder.hpp"

namespace waitdiag {

// Counters that go backwards belong to another thread, or are damaged.
void TraceBuilder::LocationRecorder::counters(Time time, const WorkCounts& so_far) {
  advance(time);
  if (counted_ && !in_operation_ && so_far.instructions >= counted_->instructions &&
      so_far.cycles >= counted_->cycles)
    counted_work({so_far.instructions - counted_->instructions, so_far.cycles - counted_->cycles});
  counted_ = so_far;
}

void TraceBuilder::LocationRecorder::counted_work(const WorkCounts& work) {
  const auto gap = static_cast<std::uint32_t>(timeline_.size());
  auto& all = timeline_.counted_work_;
  if (all.empty() || all.back().op != gap) all.push_back({.op = gap});
  all.back().counts.instructions += work.instructions;
  all.back().counts.cycles += work.cycles;
}

}  // namespace waitdiag
