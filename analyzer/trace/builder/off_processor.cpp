// Time off the processor, as LocationRecorder measures it: removed from what would have been computation.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analyzer/trace/builder/location_recorder.hpp"

namespace waitdiag {
namespace {

// The time from when a thread is on a processor again until the handler of the tick that woke it has checked,
// or from then until it waits again.
constexpr Duration kAtOnce{100'000};

}  // namespace

// In an operation, it is part of that operation; how long another thread had the processor there is kept beside it.
void TraceBuilder::LocationRecorder::off_processor(Time end, Duration length, OffReason reason,
                                                   std::uint64_t turns, const OffRegions& regions) {
  const bool inside_operation = in_operation_ || !seen_;
  const bool whole = turns == 0 && length >= Duration::zero();
  end = std::clamp(end, seen_ ? timeline_.end_ : kEarliest, kLatest);
  if (inside_operation || !whole) end = advance(end);
  if (in_operation_ && reason == OffReason::Preempted) preempted_in_call(length, regions);
  if (inside_operation) return;
  if (whole) advance(length < end - timeline_.end_ ? end - length : timeline_.end_);
  const Time begin = timeline_.end_;

  const CallPathId present = stack_.empty() ? kNoCallPath : stack_.back().path;
  Duration time = end - begin;
  if (whole) {
    timeline_.end_ += time;
  } else {
    Duration& computing = piece(present).time;
    time = std::clamp(length, Duration::zero(), computing);
    computing -= time;
  }
  const CallPathId off = off_path(reason, whole ? begin : Time::max(), regions);
  awake_ = timeline_.end_;
  last_blocked_ = off == blocked_somewhere_ && whole ? time : Duration::zero();
  ComputationPiece& there = piece(off);
  there.time += time;
  there.visits += static_cast<std::uint32_t>(std::clamp<std::uint64_t>(turns, 1, UINT32_MAX / 2));
}

void TraceBuilder::LocationRecorder::preempted_in_call(Duration length, const OffRegions& regions) {
  tree_.node(kNoCallPath, regions.preempted);  // of that time
  auto& calls = timeline_.preempted_calls_;
  if (calls.empty() || calls.back().op != current_op()) calls.push_back({.op = current_op()});
  calls.back().time += std::max(length, Duration::zero());
}

// Interval that begins at `begin`; Time::max(): its place is not known.
CallPathId TraceBuilder::LocationRecorder::off_path(OffReason reason, Time begin, const OffRegions& regions) {
  if (reason == OffReason::Preempted) return tree_.node(kNoCallPath, regions.preempted);
  if (reason == OffReason::Unknown) return tree_.node(kNoCallPath, regions.perhaps_off);
  if (reason == OffReason::PageFault) {
    if (!stack_.empty()) return tree_.node(stack_.back().path, regions.page_fault);
    return waiting_for_pages_ = tree_.node(kNoCallPath, regions.page_fault_below);
  }
  const bool in_library = !stack_.empty() && region(stack_.back().region).library;
  blocked_in_library_ = in_library ? tree_.parent(stack_.back().path) : kNoCallPath;
  if (!stack_.empty()) return tree_.node(stack_.back().path, regions.blocked);
  const bool goes_on = blocked_in_ != kNoCallPath && begin != Time::max() && begin - interrupted_ <= kAtOnce;
  if (goes_on) return tree_.node(blocked_in_, regions.blocked);
  blocked_somewhere_ = tree_.node(kNoCallPath, regions.blocked_below);
  blocked_ = regions.blocked;
  return blocked_somewhere_;
}

// A tick that follows the clock ends a waiting system call, which is resumed after the sample: that sample
// shows where the thread was blocked before and is blocked again, not what it computed.
bool TraceBuilder::LocationRecorder::names_blocking(Time time, CallPathId call_path) {
  const bool at_once = blocked_somewhere_ != kNoCallPath && call_path != kNoCallPath &&
                       last_blocked_ > Duration::zero() && time - awake_ <= kAtOnce;
  const bool again = blocked_in_ == call_path && call_path != kNoCallPath && awake_ > interrupted_ &&
                     time - awake_ <= kAtOnce;
  const bool in_library =
      blocked_in_library_ != kNoCallPath && time - awake_ <= kAtOnce &&
      tree_.leaf(tree_.common_part(blocked_in_library_, call_path)) == tree_.leaf(blocked_in_library_);
  if (in_library) return true;
  if (!at_once && !again) return false;
  if (at_once) {
    ComputationPiece& somewhere = piece(blocked_somewhere_);
    if (somewhere.time < last_blocked_) return false;  // behind a step mark
    somewhere.time -= last_blocked_;
    --somewhere.visits;
    ComputationPiece& there = piece(tree_.node(call_path, blocked_));
    there.time += last_blocked_;
    ++there.visits;
    last_blocked_ = Duration::zero();
  }
  blocked_in_ = call_path;
  interrupted_ = time;
  return true;
}

// It was blocked in the innermost function around the MPI calls before and after and around all samples in
// between, or in something called by that function. Without samples the function that made both calls may
// have been left and entered again: then as in other gaps between these calls.
void TraceBuilder::LocationRecorder::place_blocked(CallPathId closing) {
  const CallPathId opening = timeline_.size() == 0 ? kNoCallPath : timeline_.call_path_.back();
  CallPathId around = kNoCallPath;
  if (opening != kNoCallPath && closing != kNoCallPath) {
    around = tree_.common_part(tree_.parent(opening), tree_.parent(closing));
  } else if (opening != kNoCallPath || closing != kNoCallPath) {
    around = tree_.parent(opening != kNoCallPath ? opening : closing);
  }
  CallPathId& known = around_gaps_.try_emplace({opening, closing}, around).first->second;
  for (std::size_t i = timeline_.sample_offset_.entries(); i < timeline_.samples_.size(); ++i)
    known = tree_.common_part(known, timeline_.samples_[i].call_path);
  around = known;
  const std::size_t first = timeline_.piece_offset_.entries();
  for (CallPathId* const somewhere : {&blocked_somewhere_, &waiting_for_pages_}) {
    if (*somewhere == kNoCallPath) continue;
    const CallPathId placed = tree_.node(around, tree_.region(*somewhere));
    for (std::size_t i = first; i < timeline_.pieces_.size(); ++i) {
      ComputationPiece& piece = timeline_.pieces_[i];
      if (piece.call_path == *somewhere) piece.call_path = placed;
    }
    *somewhere = kNoCallPath;
  }
}

}  // namespace waitdiag
