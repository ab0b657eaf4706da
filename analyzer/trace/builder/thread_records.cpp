// Threads that the program starts, joins and wakes, as LocationRecorder sees them: as one that starts, joins or wakes
// others, and as one that is started or woken. And what teams of them did that it opened.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/trace/builder/location_recorder.hpp"

namespace waitdiag {

// One thread after the other; call paths that differ in nothing that is told here, such as copies of a loop that the
// compiler has unrolled, are one.
void TraceBuilder::LocationRecorder::parallel(const ParallelTotal& total) {
  auto& all = timeline_.parallel_;
  const auto known = std::ranges::find(all, total.call_path, &ParallelTotal::call_path);
  ParallelTotal& sum = known != all.end() ? *known : all.emplace_back(ParallelTotal{total.call_path});
  sum.regions += total.regions;
  sum.time += total.time;
  sum.slowest += total.slowest;
  sum.left_out += total.left_out;
  sum.with_turns += total.with_turns;
  sum.with_tasks += total.with_tasks;
  sum.barriers += total.barriers;
  sum.tasks += total.tasks;
  const auto add = [](std::vector<Duration>& to, const std::vector<Duration>& by_thread) {
    if (to.size() < by_thread.size()) to.resize(by_thread.size());
    for (std::size_t thread = 0; thread < by_thread.size(); ++thread) to[thread] += by_thread[thread];
  };
  add(sum.busy, total.busy);
  add(sum.turns, total.turns);
}

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
      begin_stretch(time, 0);
      break;
    case ThreadRecord::What::Wait:
      joined(ThreadJoin::For::End, record.number, time, regions.blocked);
      break;
    case ThreadRecord::What::Woken:
      begin_stretch(time, record.number);
      if (record.number != 0) joined(ThreadJoin::For::Wake, record.number, time, regions.blocked);
      break;
    case ThreadRecord::What::Wakes:
      end_stretch(time, record.number);
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

// What the gap has got since `before`, which becomes what it has now.
std::vector<ComputationPiece> TraceBuilder::LocationRecorder::pieces_since(PiecesByPath& before) const {
  PiecesByPath now;
  for (std::size_t i = timeline_.piece_offset_.entries(); i < timeline_.pieces_.size(); ++i)
    now[timeline_.pieces_[i].call_path] = timeline_.pieces_[i];
  std::vector<ComputationPiece> since;
  for (const auto& [path, piece] : now) {
    const ComputationPiece& known = before[path];
    if (path != kNoCallPath && piece.time > known.time)
      since.push_back({path, piece.visits - known.visits, piece.time - known.time});
  }
  before = std::move(now);
  return since;
}

// All that a thread did that calls no MPI.
void TraceBuilder::LocationRecorder::pieces_of_life() {
  ThreadLife& life = timeline_.lives_.back();
  std::vector<ComputationPiece> pieces = pieces_since(before_life_);
  if (life.ended) life.pieces = std::move(pieces);
}

// Of a thread that is still there at the end.
void TraceBuilder::LocationRecorder::finish_life(Time end) {
  if (timeline_.lives_.empty() || timeline_.lives_.back().ended) return;
  timeline_.lives_.back().end = end;
  timeline_.lives_.back().pieces = pieces_since(before_life_);
}

void TraceBuilder::LocationRecorder::begin_stretch(Time time, std::uint64_t since) {
  pieces_since(before_stretch_);
  stretch_ = {.since = since, .begin = time};
  in_stretch_ = true;
}

// The next one begins.
void TraceBuilder::LocationRecorder::end_stretch(Time time, std::uint64_t number) {
  stretch_.number = number;
  stretch_.end = time;
  stretch_.ended = true;
  stretch_.pieces = pieces_since(before_stretch_);
  stretch_.behind = thread_sync_before(time);
  if (!timeline_.lives_.empty()) {
    stretch_.of = timeline_.lives_.back().number;
    stretch_.function = timeline_.lives_.back().function;
  }
  if (!in_stretch_) stretch_.begin = time;  // what was before is not known
  timeline_.wakes_.push_back(std::move(stretch_));
  stretch_ = {.since = number, .begin = time};
  in_stretch_ = true;
}

// Of a location whose threads turned out not to call MPI: their time is one gap.
void TraceBuilder::LocationRecorder::forget_absences() {
  const auto absent = [this](CallPathId path) { return region(tree_.region(path)).name == kNoThreadRegion; };
  if (timeline_.lives_.empty() || !std::ranges::all_of(timeline_.call_path_, absent)) return;
  for (auto* const column : {&timeline_.enter_, &timeline_.leave_}) column->clear();
  timeline_.call_path_.clear();
  timeline_.piece_offset_ = timeline_.sample_offset_ = {};
  for (auto* const all : {&timeline_.lives_, &timeline_.wakes_})
    for (ThreadLife& life : *all) life.before = life.behind = kNoOp;
}

bool TraceBuilder::LocationRecorder::was_worker() const {
  const auto is_known = [this](const ComputationPiece& piece) {
    if (piece.call_path == kNoCallPath) return false;
    const Region& in = region(tree_.region(piece.call_path));
    return !in.library && !in.off();
  };
  return (has_samples_ || in_stretch_ || !timeline_.lives_.empty()) && timeline_.size() == 0 &&
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

// A wait that gives up after some time is waited again.
void TraceBuilder::LocationRecorder::leave_library(const Frame& frame, Time time) {
  const bool again = left_library_.call == frame.path && left_library_.gap == timeline_.size() &&
                     frame.enter - left_library_.leave <= kJustBefore;
  left_library_ = {frame.path, again ? left_library_.first : frame.enter, frame.enter, time,
                   timeline_.size()};
}

// The call comes just before, where it took long enough to be recorded.
void TraceBuilder::LocationRecorder::joined(ThreadJoin::For what, std::uint64_t number, Time time,
                                            RegionId blocked) {
  const auto [call, first, enter, leave, gap] = std::exchange(left_library_, {});
  const std::uint32_t op = thread_sync_before(time);
  if (op != kNoOp) {
    timeline_.thread_joins_.push_back({.what = what,
                                       .number = number,
                                       .begin = timeline_.enter_[op],
                                       .end = timeline_.leave_[op],
                                       .op = op,
                                       .blocked = timeline_.call_path_[op]});
    return;
  }
  const bool is_it =
      !in_operation_ && call != kNoCallPath && time - leave <= kJustBefore &&
      (what == ThreadJoin::For::Wake || region(tree_.region(call)).name.starts_with("pthread_join"));
  if (!is_it) return;
  timeline_.thread_joins_.push_back({.what = what,
                                     .number = number,
                                     .begin = what == ThreadJoin::For::Wake ? first : enter,
                                     .end = leave,
                                     .gap = static_cast<std::uint32_t>(timeline_.size()),
                                     .blocked = tree_.node(call, blocked)});
}

void TraceBuilder::LocationRecorder::sample_of_life(CallPathId path, std::uint32_t weight) {
  const auto add_to = [&](std::vector<ComputationSample>& samples) {
    const auto known = std::ranges::find(samples, path, &ComputationSample::call_path);
    if (known != samples.end())
      known->weight += weight;
    else
      samples.push_back({path, weight});
  };
  if (!timeline_.lives_.empty() && !timeline_.lives_.back().ended) add_to(timeline_.lives_.back().samples);
  if (in_stretch_) add_to(stretch_.samples);
}

}  // namespace waitdiag
