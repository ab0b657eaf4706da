// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/window_polls.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "analyzer/trace/sync/idle_gaps.hpp"
#include "analyzer/trace/sync/polling.hpp"

namespace waitdiag {
namespace {

constexpr std::uint32_t kMostCalls = 4;  // of one look: lock, get, unlock
constexpr int kTenth = 10;
constexpr std::uint32_t kFewestLooks = 3;
constexpr Duration kShortPause = std::chrono::milliseconds(2);  // on average; tasks take longer
constexpr Duration kDisturbance = std::chrono::milliseconds(1);
constexpr Duration kInsideLook = std::chrono::microseconds(50);  // from one of its calls to the next

constexpr char kSync[] = "MPI_Win_sync";

// Of the first one it is not known in which call of the function a thread was blocked, or in what that called: perhaps in
// the other one. Of many short pauses, only some have their call recorded.
bool is_perhaps(const Trace& trace, CallPathId blocked, CallPathId other) {
  if (!trace.region(blocked).off() || !trace.region(other).off()) return false;
  const CallPathId function = trace.without_sites(trace.call_paths()[index(blocked)].parent);
  if (function == kNoCallPath || trace.region(function).library) return false;
  while (other != kNoCallPath && trace.without_sites(other) != function)
    other = trace.call_paths()[index(other)].parent;
  return other != kNoCallPath;
}

enum class Look : std::uint8_t { No, Part, Looks };  // Part: a flush, a shared lock

class WindowRows {
 public:
  WindowRows(const Trace& trace, Location location)
      : trace_(trace),
        timeline_(trace.timeline(location)),
        does_(timeline_.size(), Look::No),
        at_(timeline_.size(), kNoRank) {
    for (std::uint32_t op = 0; op < timeline_.size(); ++op)
      if (trace.region(timeline_.call_path(op)).name == kSync) does_[op] = Look::Looks;
    for (const RmaRecord& record : timeline_.rma()) note(record);
  }

  std::vector<RowOfPolls> find() {
    std::vector<RowOfPolls> rows;
    for (std::uint32_t op = 0; op < timeline_.size();) {
      const std::optional<RowOfPolls> row = does_[op] == Look::No ? std::nullopt : row_from(op);
      if (row) rows.push_back(*row);
      op = row ? row->last + 1 : op + 1;
    }
    return rows;
  }

 private:
  void note(const RmaRecord& record) {
    using enum RmaRecord::What;
    if (record.op == kNoOp) return;
    const RmaRecord::What what = record.what;
    const bool looks = what == Get || (what == Atomic && record.returned > 0);
    const bool part = what == Flush || what == Done || what == Unlock || (what == Lock && !record.exclusive);
    if (looks) at_[record.op] = record.target;
    Look& does = does_[record.op];
    if (looks)
      does = Look::Looks;
    else if (part)
      does = std::max(does, Look::Part);
    else
      does = Look::No;
  }

  std::optional<RowOfPolls> row_from(std::uint32_t first) const {
    for (std::uint32_t calls = 1; calls <= kMostCalls; ++calls)
      if (const auto row = row_of(first, calls)) return row;
    return std::nullopt;
  }

  // Looks of `calls` calls each, one after the other.
  std::optional<RowOfPolls> row_of(std::uint32_t first, std::uint32_t calls) const {
    if (!is_look(first, calls)) return std::nullopt;
    std::uint32_t last = first, before = first;  // begins of the last look, and of the one before it
    std::uint32_t looks = 1;
    Time disturbed = timeline_.enter(first);
    Duration pauses{};
    std::uint32_t known = 0;  // a gap with a pause
    for (std::uint32_t next = last + calls; goes_on(first, next, calls); next = last + calls) {
      const GapParts parts = parts_of(next, known);
      if (parts.is_pause()) {
        if (known == 0) known = next;
      } else if (parts.rest > kBetweenPolls || parts.asleep() > Duration::zero()) {
        if (!is_disturbance(next, parts, disturbed)) break;
      }
      pauses += parts.slept;
      before = std::exchange(last, next);
      ++looks;
    }
    const std::uint32_t behind = last + calls;
    const GapParts last_parts = known == 0 ? GapParts{} : parts_of(behind, known);
    const bool only_pause = !has_mark(behind) && last_parts.is_pause();
    const bool pauses_last = last_parts.slept > Duration::zero();
    if (looks + (only_pause ? 1 : 0) < kFewestLooks || pauses > kShortPause * (looks - 1))
      return std::nullopt;
    return RowOfPolls{.first = first,
                      .last = behind - 1,
                      .in_vain = only_pause,
                      .with_last = true,
                      .looks = looks,
                      .last_in_vain = pauses_last ? last : before,
                      .pause_behind = only_pause ? Duration::zero() : last_parts.slept,
                      .like_gap = known};
  }

  bool goes_on(std::uint32_t first, std::uint32_t next, std::uint32_t calls) const {
    return is_look(next, calls, kDisturbance) && is_same(first, next, calls) && !has_mark(next);
  }

  // Who looks all the time is disturbed now and then, by an interrupt or page faults. What the program itself does is
  // known at times: in the function that looks, it is the looking.
  bool is_known(std::uint32_t gap) const {
    const CallPathId looking = caller_of(timeline_.call_path(gap - 1));
    return std::ranges::any_of(timeline_.samples(gap),
                               [&](const ComputationSample& sample) {
                                 return trace_.without_sites(sample.call_path) != looking;
                               }) ||
           std::ranges::any_of(timeline_.pieces(gap), [&](const ComputationPiece& piece) {
             return piece.call_path != kNoCallPath && piece.visits > 0 && !is_idle(trace_, piece.call_path);
           });
  }

  bool is_look(std::uint32_t first, std::uint32_t calls, Duration inside = kInsideLook) const {
    if (first + calls > timeline_.size()) return false;
    bool looks = false;
    for (std::uint32_t op = first; op < first + calls; ++op) {
      if (does_[op] == Look::No) return false;
      if (op > first && gap(op) > kInsideLook && (gap(op) > inside || is_known(op))) return false;
      looks = looks || does_[op] == Look::Looks;
    }
    return looks;
  }

  // Who asks one rank after the other for work looks nowhere twice.
  bool is_same(std::uint32_t one, std::uint32_t other, std::uint32_t calls) const {
    for (std::uint32_t i = 0; i < calls; ++i)
      if (timeline_.call_path(one + i) != timeline_.call_path(other + i) || at_[one + i] != at_[other + i])
        return false;
    return true;
  }

  Duration gap(std::uint32_t op) const { return timeline_.gap_end(op) - timeline_.gap_begin(op); }

  CallPathId caller_of(CallPathId call) const {
    return trace_.without_sites(trace_.call_paths()[index(call)].parent);
  }

  bool has_mark(std::uint32_t op) const {
    return std::ranges::binary_search(timeline_.step_marks(), op, {}, &StepMark::op);
  }

  // What a thread does in a gap. Where it has no processor, it does nothing.
  struct GapParts {
    Duration slept{};            // where it slept in the gap before another call; or anywhere
    Duration slept_elsewhere{};  // or did so for another reason
    Duration rest{};
    Duration asleep() const { return slept + slept_elsewhere; }
    bool sleeps_elsewhere() const { return kTenth * slept_elsewhere > slept; }
    bool is_pause() const { return slept > kBetweenPolls && !sleeps_elsewhere() && rest <= slept; }
  };
  // `since`: when the last one ended.
  bool is_disturbance(std::uint32_t gap, const GapParts& parts, Time& since) const {
    const bool short_enough = parts.rest <= std::min(kDisturbance, timeline_.gap_begin(gap) - since);
    since = timeline_.gap_end(gap);
    return !is_known(gap) && !parts.sleeps_elsewhere() && short_enough;
  }
  // `like`: the other call; 0: none.
  GapParts parts_of(std::uint32_t op, std::uint32_t like) const {
    GapParts parts{.rest = gap(op)};
    for (const ComputationPiece& piece : timeline_.pieces(op)) {
      if (piece.call_path == kNoCallPath) continue;
      const bool of_recorder = trace_.region(piece.call_path).kind == CallKind::Artificial;
      if (!of_recorder && !is_idle(trace_, piece.call_path)) continue;
      parts.rest -= piece.time;
      if (!is_asleep(trace_, piece.call_path)) continue;
      (like == 0 || sleeps_like(trace_, timeline_, like, piece) ? parts.slept : parts.slept_elsewhere) +=
          piece.time;
    }
    return parts;
  }

  const Trace& trace_;
  const Timeline& timeline_;
  std::vector<Look> does_;  // by call
  std::vector<Rank> at_;    // by call: where it looks
};

}  // namespace

bool sleeps_like(const Trace& trace, const Timeline& timeline, std::uint32_t gap,
                 const ComputationPiece& piece) {
  constexpr int kNotLonger = 2;  // where it is not known in which call
  return std::ranges::any_of(timeline.pieces(gap), [&](const ComputationPiece& other) {
    if (other.call_path == piece.call_path) return true;
    if (other.call_path == kNoCallPath || !is_asleep(trace, other.call_path)) return false;
    const bool known = is_perhaps(trace, piece.call_path, other.call_path) ||
                       is_perhaps(trace, other.call_path, piece.call_path);
    return known && piece.time <= kNotLonger * other.time;
  });
}

bool looks_into_windows(const Trace& trace) {
  const bool syncs = std::ranges::any_of(trace.regions(), [](const Region& r) { return r.name == kSync; });
  return syncs || std::ranges::any_of(trace.timelines(), [](const Timeline& t) { return !t.rma().empty(); });
}

std::vector<bool> calls_that_write(const Trace& trace, Location location) {
  using enum RmaRecord::What;
  const Timeline& timeline = trace.timeline(location);
  std::vector<bool> writes(timeline.size());
  for (std::uint32_t op = 0; op < timeline.size(); ++op)
    writes[op] = trace.region(timeline.call_path(op)).name == kSync;
  for (const RmaRecord& record : timeline.rma()) {
    const bool completes = record.what == Flush || record.what == Unlock;
    if (record.op != kNoOp && (record.what == Put || record.what == Atomic || completes))
      writes[record.op] = true;
  }
  return writes;
}

void add_rows_at_windows(const Trace& trace, std::vector<std::vector<RowOfPolls>>& by_location) {
  if (!looks_into_windows(trace)) return;
  for (std::uint32_t l = 0; l < by_location.size(); ++l) {
    std::vector<RowOfPolls>& rows = by_location[l];
    const std::vector<RowOfPolls> found = WindowRows(trace, Location(l)).find();
    rows.insert(rows.end(), found.begin(), found.end());
    std::ranges::sort(rows, {}, &RowOfPolls::first);
  }
}

}  // namespace waitdiag
