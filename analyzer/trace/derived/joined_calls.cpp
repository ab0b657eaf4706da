// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/derived/joined_calls.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace waitdiag {
namespace {

// `place_of`: where a mark lies among the entries.
template <typename Entry, typename PlaceOf>
void join_gaps(const std::vector<std::uint32_t>& number, const std::vector<bool>& gap_is_empty,
               std::vector<StepMark>& marks, PlaceOf place_of, RowOffsets& offsets,
               std::vector<Entry>& entries) {
  RowOffsets kept_offsets;
  std::vector<Entry> kept;
  auto mark = marks.begin();
  for (std::uint32_t gap = 0; gap < offsets.rows(); ++gap) {
    if (gap > 0 && number[gap] != number[gap - 1]) kept_offsets.end_row(kept.size());
    const auto [first, last] = offsets.row(gap);
    const auto left_out = static_cast<std::uint32_t>(first - kept.size());
    for (; mark != marks.end() && mark->op == gap; ++mark) *place_of(*mark) -= left_out;
    if (!gap_is_empty[gap]) kept.insert(kept.end(), entries.begin() + first, entries.begin() + last);
  }
  kept_offsets.end_row(kept.size());
  kept_offsets.shrink_to_fit();
  offsets = std::move(kept_offsets);
  entries = std::move(kept);
}

}  // namespace

void Retiming::Joining::join(Timeline& timeline, const std::vector<std::uint32_t>& number,
                             const std::vector<std::uint32_t>& gap_number,
                             const std::vector<bool>& gap_is_empty) {
  join_gaps(
      gap_number, gap_is_empty, timeline.step_marks_, [](StepMark& mark) { return &mark.piece; },
      timeline.piece_offset_, timeline.pieces_);
  join_gaps(
      gap_number, gap_is_empty, timeline.step_marks_, [](StepMark& mark) { return &mark.sample; },
      timeline.sample_offset_, timeline.samples_);
  std::uint32_t kept = 0;
  for (std::uint32_t op = 0; op < timeline.enter_.size(); ++op) {
    if (op > 0 && number[op] == number[op - 1]) continue;
    timeline.enter_[kept] = timeline.enter_[op];
    timeline.leave_[kept] = timeline.leave_[op];
    timeline.call_path_[kept++] = timeline.call_path_[op];
  }
  timeline.enter_.resize(kept);
  timeline.leave_.resize(kept);
  timeline.call_path_.resize(kept);
  const auto move = [&](std::initializer_list<std::uint32_t*> calls) {
    for (std::uint32_t* const op : calls)
      if (*op != kNoOp) *op = number[*op];
  };
  for (auto* const ends : {&timeline.sends_, &timeline.receives_})
    ends->change([&](MessageEnd& end) { move({&end.posted, &end.completed}); });
  for (CollectivePart& part : timeline.collectives_) move({&part.op, &part.completed});
  for (RmaRecord& record : timeline.rma_) move({&record.op});
  for (StepMark& mark : timeline.step_marks_) mark.op = gap_number[mark.op];
  for (UsageReading& reading : timeline.usage_) reading.op = gap_number[reading.op];
  for (CountedWork& work : timeline.counted_work_) work.op = gap_number[work.op];
  for (FileAccess& access : timeline.file_accesses_) move({&access.op});
  for (PollRecord& poll : timeline.polls_) move({&poll.op});
  std::vector<PreemptedCall> preempted;
  for (PreemptedCall& call : timeline.preempted_calls_) {
    move({&call.op});
    if (preempted.empty() || preempted.back().op != call.op) preempted.push_back({.op = call.op});
    preempted.back().time += call.time;
  }
  timeline.preempted_calls_ = std::move(preempted);
  for (auto* const lives : {&timeline.lives_, &timeline.wakes_})
    for (ThreadLife& life : *lives) move({&life.before, &life.behind});
  for (ThreadStart& start : timeline.thread_starts_) move({&start.op});
  for (ThreadJoin& join : timeline.thread_joins_) move({&join.op, &join.gap});
  for (ExcerptMark& mark : timeline.excerpts_) move({&mark.op});
}

class Retiming::JoiningRequests {
 public:
  static Trace run(const Trace& trace) {
    Trace result(trace);
    for (Timeline& timeline : result.timelines_) join(trace, timeline);
    return result;
  }

 private:
  enum class Does : std::uint8_t { Nothing, Posts, Completes, Else };

  static std::vector<Does> what_calls_do(const Timeline& timeline) {
    std::vector<Does> does(timeline.size(), Does::Nothing);
    const auto add = [&](std::uint32_t op, Does what) {
      if (op != kNoOp) does[op] = does[op] == Does::Nothing || does[op] == what ? what : Does::Else;
    };
    for (const auto* const ends : {&timeline.sends_, &timeline.receives_})
      for (const MessageEnd& end : *ends) {
        add(end.posted, end.posted == end.completed ? Does::Else : Does::Posts);
        add(end.completed, end.posted == end.completed ? Does::Else : Does::Completes);
      }
    for (const CollectivePart& part : timeline.collectives_)
      for (const std::uint32_t op : {part.op, part.completed}) add(op, Does::Else);
    for (const RmaRecord& record : timeline.rma_) add(record.op, Does::Else);
    return does;
  }

  static void join(const Trace& trace, Timeline& timeline) {
    const std::vector<Does> does = what_calls_do(timeline);
    const auto caller = [&](std::uint32_t op) {
      return trace.call_paths()[index(timeline.call_path(op))].parent;
    };
    const auto joins = [&](std::uint32_t op) {  // the call before it
      return op > 0 && op < timeline.size() && does[op] == does[op - 1] &&
             (does[op] == Does::Posts || does[op] == Does::Completes) && caller(op) == caller(op - 1) &&
             !std::ranges::binary_search(timeline.step_marks_, op, {}, &StepMark::op);
    };
    std::vector<std::uint32_t> number;
    bool any = false;
    for (std::uint32_t op = 0; op <= timeline.size(); ++op) {
      any = any || joins(op);
      number.push_back(op == 0 ? 0 : number.back() + (joins(op) ? 0 : 1));
    }
    if (!any) return;
    for (std::uint32_t first = 0, op = 0; op < timeline.size(); first = op) {
      Duration calls{};
      for (; op < timeline.size() && number[op] == number[first]; ++op) calls += timeline.length(op);
      timeline.leave_[first] = timeline.leave_[op - 1];
      timeline.enter_[first] = timeline.leave_[first] - calls;
    }
    Joining::join(timeline, number, std::vector<bool>(number.size(), false));
    timeline.sends_.change([&](MessageEnd& end) { end.time = within(timeline, end.posted, end.time); });
    timeline.receives_.change([&](MessageEnd& end) { end.time = within(timeline, end.completed, end.time); });
  }
  static Time within(const Timeline& timeline, std::uint32_t op, Time time) {
    return op == kNoOp ? time : std::clamp(time, timeline.enter(op), timeline.leave(op));
  }
};

Trace join_requests(const Trace& trace) {
  return Retiming::JoiningRequests::run(trace);
}

}  // namespace waitdiag
