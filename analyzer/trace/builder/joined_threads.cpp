// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/builder/joined_threads.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analyzer/trace/builder/joined_work.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {

JoinedThreads::JoinedThreads(Trace& trace) : trace_(trace) {}
JoinedThreads::~JoinedThreads() = default;

void JoinedThreads::replace_waits() {
  for (Timeline& timeline : trace_.timelines_) begin_with_the_run(timeline);
  const auto joins = [](const Timeline& timeline) { return !timeline.thread_joins_.empty(); };
  if (std::ranges::none_of(trace_.timelines_, joins)) return;
  find_threads();
  std::vector<std::vector<Wait>> waits;
  for (const Timeline& timeline : trace_.timelines_) waits.push_back(waits_of(timeline));
  for (const auto& of_timeline : waits)
    for (const Wait& wait : of_timeline) wait.thread->waited_for = true;
  find_kinds();
  find_totals();
  compare_waits(waits);
  for (std::size_t l = 0; l < waits.size(); ++l)
    replace_waits_of(trace_.locations_[l].rank, trace_.timelines_[l], waits[l]);
  for (auto& [timeline, replacement] : replacements_) replacement.apply();
}

// A thread that calls MPI cannot be there earlier than it is started, but it would be if that happened earlier.
void JoinedThreads::begin_with_the_run(Timeline& timeline) const {
  const bool begins = !timeline.lives_.empty() && timeline.lives_.front().before == 0;
  if (begins) timeline.begin_ = timeline.enter_.front() = std::min(timeline.begin_, trace_.begin_);
}

void JoinedThreads::find_threads() {
  for (const WorkerThread& worker : trace_.workers_) {
    const auto add = [&](std::unordered_map<std::uint64_t, Thread>& all, const ThreadLife& life) {
      all[life.number] = {worker.info.rank, worker.info.thread, &life, {worker.info.rank, kNoCallPath}};
    };
    for (const ThreadLife& life : worker.timeline.lives_) add(threads_, life);
    for (const ThreadLife& wake : worker.timeline.wakes_) add(wakes_, wake);
  }
  find_callers();
  for (const Timeline& timeline : trace_.timelines_) {
    for (const ThreadStart& start : timeline.thread_starts_) {
      const auto thread = threads_.find(start.number);
      if (thread == threads_.end()) continue;
      thread->second.started_by = thread->second.kind.second = trace_.without_sites(start.caller);
    }
  }
  for (auto& [number, wake] : wakes_) {
    const auto thread = threads_.find(wake.life->of);
    if (thread != threads_.end()) wake.started_by = thread->second.started_by;
    wake.wakes = true;
  }
}

void JoinedThreads::find_callers() {
  for (std::size_t l = 0; l < trace_.timelines_.size(); ++l) {
    Timeline& timeline = trace_.timelines_[l];
    const LocationInfo& info = trace_.locations_[l];
    const auto add = [&](std::unordered_map<std::uint64_t, Thread>& all, const ThreadLife& life) {
      if (!life.ended || life.behind == kNoOp || life.behind == 0) return;
      ThreadLife& last = last_stretches_.emplace_back(ThreadLife{.number = life.number,
                                                                 .of = life.of,
                                                                 .begin = timeline.gap_begin(life.behind),
                                                                 .end = life.end,
                                                                 .ended = true});
      for (const ComputationPiece& piece : timeline.pieces(life.behind))
        if (piece.call_path != kNoCallPath) last.pieces.push_back(piece);
      const auto samples = timeline.samples(life.behind);
      last.samples.assign(samples.begin(), samples.end());
      all[life.number] = {.rank = info.rank,
                          .thread = info.thread,
                          .life = &last,
                          .kind = {info.rank, kNoCallPath},
                          .timeline = &timeline,
                          .behind = life.behind};
    };
    for (const ThreadLife& life : timeline.lives_) add(threads_, life);
    for (const ThreadLife& wake : timeline.wakes_) add(wakes_, wake);
  }
}

// Whom it was for, and what that is to be compared with: a wake with those that end the same wait.
JoinedThreads::Thread* JoinedThreads::awaited(const ThreadJoin& join) {
  const bool wake = join.what == ThreadJoin::For::Wake;
  const auto found = (wake ? wakes_ : threads_).find(join.number);
  if (found == (wake ? wakes_ : threads_).end()) return nullptr;
  if (wake) found->second.kind.second = trace_.without_sites(join.blocked);
  return &found->second;
}

// In time order.
std::vector<JoinedThreads::Wait> JoinedThreads::waits_of(const Timeline& timeline) {
  std::vector<Wait> waits;
  Thread* last = nullptr;  // what held it up behind the wait that is looked at
  std::uint32_t gap = kNoOp;
  for (auto join = timeline.thread_joins_.rbegin(); join != timeline.thread_joins_.rend(); ++join) {
    Thread* const joined = awaited(*join);
    if (join->op != kNoOp) {
      const Duration held =
          joined != nullptr ? join->end - std::max(join->begin, joined->life->begin) : Duration{};
      if (held > Duration::zero() && joined->timeline != nullptr) waits.push_back({&*join, held, joined});
      continue;
    }
    if (join->gap != gap) last = nullptr;
    gap = join->gap;
    const Time until = last != nullptr ? std::clamp(last->life->begin, join->begin, join->end) : join->end;
    if (join->end > until) waits.push_back({&*join, join->end - until, last});
    if (until > join->begin && joined != nullptr) last = add_waits(*join, until, *joined, waits);
  }
  std::ranges::reverse(waits);
  return waits;
}

// Until then, for that thread; before its stretch, for the one that woke it, or for what it did up to its wake before. That is
// of another kind: before it took a lock, a thread did other things than with it. Returns the earliest one.
JoinedThreads::Thread* JoinedThreads::add_waits(const ThreadJoin& join, Time until, Thread& joined,
                                                std::vector<Wait>& waits) {
  if (join.what == ThreadJoin::For::End) {
    waits.push_back({&join, until - join.begin, &joined});
    return &joined;
  }
  Thread* last = &joined;
  for (Thread* thread = last; thread != nullptr && thread->timeline == nullptr && until > join.begin;) {
    const Time from = std::clamp(thread->life->begin, join.begin, until);
    if (until > from) waits.push_back({&join, until - from, thread});
    until = from;
    last = thread;
    const auto before = wakes_.find(thread->life->since);
    thread = thread->life->since < thread->life->number && before != wakes_.end() ? &before->second : nullptr;
    if (thread == nullptr) break;
    const bool own = std::pair(thread->rank, thread->thread) == std::pair(last->rank, last->thread);
    thread->kind.second = own ? trace_.call_paths_[index(joined.kind.second)].parent : joined.kind.second;
  }
  return last;
}

void JoinedThreads::tell(Rank rank, const Wait& wait, const Work& work) {
  auto& all = trace_.joined_threads_;
  for (const auto& [part, time] : work) {
    const auto [row, is_new] =
        told_.try_emplace({rank, wait.thread->thread, wait.join->blocked, part.call_path}, all.size());
    if (is_new) all.push_back({rank, wait.thread->thread, wait.join->blocked, part.call_path});
    all[row->second].time += Duration(std::llround(time));
  }
}

void JoinedThreads::replace_waits_of(Rank rank, Timeline& timeline, const std::vector<Wait>& waits) {
  if (waits.empty()) return;
  Replacement& replacement = replacement_of(timeline);
  TimeByGap times = by_gap(waits);
  for (const Wait& wait : waits) {
    if (wait.join->op != kNoOp) {
      const bool ends = wait.join->what == ThreadJoin::For::End;
      ends ? move_last_stretch(rank, timeline, wait) : copy_last_stretch(rank, timeline, wait);
      continue;
    }
    const Duration all = times[{wait.join->gap, wait.thread}];
    const double as_others = as_others_.at(kind_of(rank, *wait.join));
    Duration due = wait.time;
    const CallPathId blocked = wait.join->blocked, call = trace_.call_paths_[index(blocked)].parent;
    const auto [first, last] = timeline.piece_offset_.row(wait.join->gap);
    for (std::uint32_t i = first; i < last; ++i) {
      const CallPathId path = timeline.pieces_[i].call_path;
      if (path != blocked && path != call) continue;
      const Duration time = std::min(due, replacement.left(i));
      if (time == Duration::zero()) continue;
      due -= time;
      Work work = share_of_wait(*wait.thread, all, as_others);
      for (auto& [part, share] : work) share *= nanoseconds(time) / nanoseconds(all);
      replacement.replace(i, work);
      tell(rank, wait, work);
    }
  }
}

// Only what took longer than is usual: the rest may as well have been done beside the thread that waits, and stays where
// it is.
void JoinedThreads::move_last_stretch(Rank rank, Timeline& timeline, const Wait& wait) {
  Work work = longer_than_usual(*wait.thread, work_of(*wait.thread));
  const double all = sum_of(work), moved = all > 0 ? std::min(1.0, nanoseconds(wait.time) / all) : 0;
  for (auto& [part, time] : work) time *= moved;
  const Duration time = std::min(Duration(std::llround(sum_of(work))), wait.time);
  if (time == Duration::zero()) return;
  timeline.leave_[wait.join->op] -= time;
  replacement_of(timeline).insert(wait.join->op + 1, work);
  Timeline& joined = *wait.thread->timeline;
  joined.enter_[wait.thread->behind] -= time;
  replacement_of(joined).take_out(wait.thread->behind, work);
  tell(rank, wait, work);
}

// The thread goes on, and may be late itself because of that: it stays there as well. What it did between its last two
// calls comes before what is left of the wait, which goes on until it wakes this one.
void JoinedThreads::copy_last_stretch(Rank rank, Timeline& timeline, const Wait& wait) {
  Work work;  // of a copy all is known: samples count once, where they were taken
  for (const auto& [part, time] : share_of_wait(*wait.thread, wait.time, 1))
    work[{part.call_path, true}] += time;
  const Duration time = std::min(Duration(std::llround(sum_of(work))), wait.time);
  if (time == Duration::zero()) return;
  timeline.enter_[wait.join->op] += time;
  replacement_of(timeline).insert(wait.join->op, work);
  tell(rank, wait, work);
}

JoinedThreads::Replacement& JoinedThreads::replacement_of(Timeline& timeline) {
  return replacements_.try_emplace(&timeline, trace_, timeline).first->second;
}

}  // namespace waitdiag
