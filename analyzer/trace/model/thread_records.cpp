// Threads that the program starts and joins, as LocationRecorder sees them: as one that starts and joins others, and
// as one that is started.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "analyzer/trace/model/location_recorder.hpp"

namespace waitdiag {

void TraceBuilder::LocationRecorder::thread(Time time, const ThreadRecord& record,
                                            const OffRegions& regions) {
  time = advance(time);
  if (regions.blocked == kNoRegion) return;
  auto& lives = timeline_.lives_;
  switch (record.what) {
    case ThreadRecord::What::Create:
      timeline_.thread_starts_.push_back({record.number, thread_sync_before(time), record.call_path});
      break;
    case ThreadRecord::What::Begin:
      lives.push_back({.number = record.number,
                       .begin = time,
                       .end = time,
                       .function = tree_.leaf(record.call_path),
                       .before = begin_absence(time, regions.no_thread)});
      end_absence(time);
      break;
    case ThreadRecord::What::Wait:
      joined(record.number, time, regions.blocked);
      break;
    case ThreadRecord::What::End:
      if (lives.empty() || lives.back().number != record.number) break;
      lives.back().end = time;
      lives.back().ended = true;
      lives.back().behind = begin_absence(time, regions.no_thread);
      break;
  }
}

// The operation, if a thread that calls MPI is not there: an open one goes on.
std::uint32_t TraceBuilder::LocationRecorder::begin_absence(Time time, RegionId region) {
  if (!absent_ && (!has_calls_ || in_operation_ || !stack_.empty())) return kNoOp;
  if (!absent_) open_operation(time, tree_.node(kNoCallPath, region));
  absent_ = true;
  return current_op();
}

void TraceBuilder::LocationRecorder::end_absence(Time time) {
  if (std::exchange(absent_, false)) close_operation(time);
}

constexpr Duration kJustBefore{1'000'000};

std::uint32_t TraceBuilder::LocationRecorder::thread_sync_before(Time time) const {
  if (in_operation_ || timeline_.size() == 0 || time - timeline_.leave_.back() > kJustBefore) return kNoOp;
  const bool it_is = region(tree_.region(timeline_.call_path_.back())).kind == CallKind::ThreadSync;
  return it_is ? current_op() : kNoOp;
}

// The call comes just before, where it took long enough to be recorded.
void TraceBuilder::LocationRecorder::joined(std::uint64_t number, Time time, RegionId blocked) {
  const auto [call, enter, leave] = std::exchange(left_library_, {});
  const std::uint32_t op = thread_sync_before(time);
  if (op != kNoOp) {
    timeline_.thread_joins_.push_back(
        {.number = number, .begin = timeline_.enter_[op], .end = timeline_.leave_[op], .op = op});
    return;
  }
  if (in_operation_ || call == kNoCallPath || time - leave > kJustBefore) return;
  timeline_.thread_joins_.push_back({.number = number,
                                     .begin = enter,
                                     .end = leave,
                                     .gap = static_cast<std::uint32_t>(timeline_.size()),
                                     .blocked = tree_.node(call, blocked)});
}

void TraceBuilder::LocationRecorder::sample_of_life(CallPathId path, std::uint32_t weight) {
  auto& samples = timeline_.lives_.back().samples;
  const auto known = std::ranges::find(samples, path, &ComputationSample::call_path);
  if (known != samples.end())
    known->weight += weight;
  else
    samples.push_back({path, weight});
}

}  // namespace waitdiag
