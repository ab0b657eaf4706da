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
      pieces_of_life();
      break;
    case ThreadRecord::What::Wait:
      joined(record.number, time, regions.blocked);
      break;
    case ThreadRecord::What::End:
      if (lives.empty() || lives.back().number != record.number) break;
      lives.back().end = time;
      lives.back().ended = true;
      pieces_of_life();
      lives.back().behind = begin_absence(time, regions.no_thread);
      break;
  }
}

// What the gap has got since the thread began: all that a thread did that calls no MPI.
void TraceBuilder::LocationRecorder::pieces_of_life() {
  std::map<CallPathId, ComputationPiece> now;
  for (std::size_t i = timeline_.piece_offset_.entries(); i < timeline_.pieces_.size(); ++i)
    now[timeline_.pieces_[i].call_path] = timeline_.pieces_[i];
  ThreadLife& life = timeline_.lives_.back();
  for (const auto& [path, piece] : now) {
    const ComputationPiece& before = before_life_[path];
    if (life.ended && path != kNoCallPath && piece.time > before.time)
      life.pieces.push_back({path, piece.visits - before.visits, piece.time - before.time});
  }
  before_life_ = std::move(now);
}

// Of a location whose threads turned out not to call MPI: their time is one gap.
void TraceBuilder::LocationRecorder::forget_absences() {
  const auto absent = [this](CallPathId path) { return region(tree_.region(path)).name == kNoThreadRegion; };
  if (timeline_.lives_.empty() || !std::ranges::all_of(timeline_.call_path_, absent)) return;
  for (auto* const column : {&timeline_.enter_, &timeline_.leave_}) column->clear();
  timeline_.call_path_.clear();
  timeline_.piece_offset_ = timeline_.sample_offset_ = {};
  for (ThreadLife& life : timeline_.lives_) life.before = life.behind = kNoOp;
}

bool TraceBuilder::LocationRecorder::was_worker() const {
  const auto is_known = [this](const ComputationPiece& piece) {
    if (piece.call_path == kNoCallPath) return false;
    const Region& in = region(tree_.region(piece.call_path));
    return !in.library && !in.off();
  };
  return (has_samples_ || !timeline_.lives_.empty()) && timeline_.size() == 0 &&
         std::ranges::none_of(timeline_.pieces_, is_known);
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
  const bool is_join = !in_operation_ && call != kNoCallPath && time - leave <= kJustBefore &&
                       region(tree_.region(call)).name.starts_with("pthread_join");
  if (!is_join) return;
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
