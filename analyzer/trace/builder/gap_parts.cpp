// The parts of gaps between step marks: how LocationRecorder measures each, and how they are cut out.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "analyzer/trace/builder/location_recorder.hpp"

namespace waitdiag {

// Marks up to `due` divide the gap that is being measured, each at its own time but no later than `now`.
void TraceBuilder::LocationRecorder::pass_marks(Time due, Time now) {
  auto& marks = timeline_.step_marks_;
  for (; next_mark_ < marks.size() && marks[next_mark_].time <= due; ++next_mark_) {
    StepMark& mark = marks[next_mark_];
    measure_until(std::min(mark.time, now));
    begin_part();
    mark.piece = first_piece_;
    mark.sample = first_sample_;
  }
  next_mark_time_ = next_mark_ < marks.size() ? marks[next_mark_].time : Time::max();
}

void TraceBuilder::LocationRecorder::begin_part() {
  first_piece_ = static_cast<std::uint32_t>(timeline_.pieces_.size());
  first_sample_ = static_cast<std::uint32_t>(timeline_.samples_.size());
}

// The stretch since the last record belongs to the innermost open region.
void TraceBuilder::LocationRecorder::measure_until(Time time) {
  if (time <= timeline_.end_) return;
  piece(stack_.empty() ? kNoCallPath : stack_.back().path).time += time - timeline_.end_;
  timeline_.end_ = time;
}

// Samples tell more than a user's mark: the mark's own time becomes un-instrumented time, which samples
// divide.
void TraceBuilder::LocationRecorder::divide_marks() {
  const std::vector<ComputationPiece> marked = std::exchange(timeline_.pieces_, {});
  const RowOffsets offsets = std::exchange(timeline_.piece_offset_, {});
  begin_part();
  auto mark = timeline_.step_marks_.begin();
  const auto divide_at = [&](std::size_t gap, std::uint32_t place) {
    for (; mark != timeline_.step_marks_.end() && mark->op <= gap && mark->piece == place; ++mark) {
      begin_part();
      mark->piece = first_piece_;
    }
  };
  for (std::size_t gap = 0; gap < offsets.rows(); ++gap) {
    for (std::uint32_t i = offsets[gap]; i < offsets[gap + 1]; ++i) {
      divide_at(gap, i);
      const CallPathId path = marked[i].call_path;
      const bool divisible = path != kNoCallPath && region(tree_.region(path)).divisible;
      if (divisible && marked[i].time == Duration::zero()) continue;
      ComputationPiece& divided = piece(divisible ? kNoCallPath : path);
      divided.time += marked[i].time;
      if (!divisible) divided.visits += marked[i].visits;
    }
    divide_at(gap, offsets[gap + 1]);
    timeline_.piece_offset_.end_row(timeline_.pieces_.size());
    begin_part();
  }
}

}  // namespace waitdiag
