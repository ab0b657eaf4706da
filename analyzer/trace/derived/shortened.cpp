// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/derived/shortened.hpp"

#include <algorithm>

#include "analyzer/trace/derived/retiming.hpp"

namespace waitdiag {

class Retiming::Shortening {
 public:
  static Trace run(const Trace& trace, const std::vector<std::vector<CallRange>>& left_out) {
    Trace result;
    result.regions_ = trace.regions_;
    result.call_paths_ = trace.call_paths_;
    result.without_sites_ = trace.without_sites_;
    result.communicators_ = trace.communicators_;
    result.peer_lists_ = trace.peer_lists_;
    result.locations_ = trace.locations_;
    result.main_location_ = trace.main_location_;
    result.facts_ = trace.facts_;
    result.anomalies_ = trace.anomalies_;
    result.world_ = trace.world_;
    result.begin_ = result.end_ = trace.begin_;
    for (std::size_t l = 0; l < left_out.size(); ++l) {
      result.timelines_.push_back(Shortening(trace.timelines_[l], left_out[l]).timeline());
      result.end_ = std::max(result.end_, result.timelines_.back().end_);
    }
    return result;
  }

 private:
  // A range that is left out, and what all ranges before it left out.
  struct LeftOut {
    std::uint32_t first = 0, last = 0;
    std::uint32_t calls = 0;
    Duration time{};
  };

  Shortening(const Timeline& whole, const std::vector<CallRange>& ranges) : whole_(whole) {
    LeftOut next;
    for (const CallRange& range : ranges) {
      if (range.empty()) continue;
      next.first = range.first;
      next.last = range.last;
      ranges_.push_back(next);
      next = through(next);
    }
  }

  Timeline timeline() const {
    Timeline result;
    result.begin_ = whole_.begin_;
    result.end_ = whole_.end_ - earlier(static_cast<std::uint32_t>(whole_.gaps()));
    result.ends_in_call_ = whole_.ends_in_call_;
    result.enter_ = times(whole_.enter_);
    result.leave_ = times(whole_.leave_);
    for_each_kept([&](std::uint32_t first, std::uint32_t last) {
      last = std::min(last, static_cast<std::uint32_t>(whole_.size()));
      result.call_path_.insert(result.call_path_.end(), whole_.call_path_.begin() + first,
                               whole_.call_path_.begin() + last);
    });
    shorten_gaps(whole_.piece_offset_, whole_.pieces_, result.piece_offset_, result.pieces_);
    shorten_gaps(whole_.sample_offset_, whole_.samples_, result.sample_offset_, result.samples_);
    for (const MessageEnd& end : whole_.sends_) {
      if (dropped(end.posted)) continue;
      MessageEnd kept = end;
      kept.time = moved(end.posted, end.time);
      kept.completed = completion(end.completed);
      kept.posted = moved(end.posted);
      result.sends_.push_back(kept);
    }
    for (const MessageEnd& end : whole_.receives_) {
      if (dropped(end.posted)) continue;
      MessageEnd kept = end;
      kept.time = completion_time(end.posted, end.completed, end.time);
      kept.completed = completion(end.completed);
      kept.posted = moved(end.posted);
      result.receives_.push_back(kept);
    }
    for (const CollectivePart& part : whole_.collectives_) {
      if (dropped(part.op)) continue;
      CollectivePart& kept = result.collectives_.emplace_back(part);
      kept.begin = moved(part.op, part.begin);
      kept.end = completion_time(part.op, part.completed, part.end);
      kept.completed = completion(part.completed);
      kept.op = moved(part.op);
    }
    result.rma_ = records(whole_.rma_);
    result.step_marks_ = step_marks();
    for (UserRegion region : whole_.user_regions_) {
      region.begin = moved(region.begin);
      region.end = moved(region.end);
      if (region.begin < region.end) result.user_regions_.push_back(region);
    }
    result.usage_ = records(whole_.usage_);
    for (const CountedWork& work : whole_.counted_work_)
      if (!dropped(work.op)) result.counted_work_.push_back({moved(work.op), work.counts});
    for (const FileAccess& access : whole_.file_accesses_)
      if (!dropped(access.op)) result.file_accesses_.push_back({access.bytes, moved(access.op)});
    for (const PollRecord& poll : whole_.polls_)
      if (!dropped(poll.op))
        result.polls_.push_back({poll.in_vain, moved(poll.op), moved(poll.op, poll.last)});
    for (const PreemptedCall& call : whole_.preempted_calls_)
      if (!dropped(call.op)) result.preempted_calls_.push_back({call.time, moved(call.op)});
    return result;
  }

  // What is left out up to the end of a range.
  LeftOut through(const LeftOut& range) const {
    LeftOut sum = range;
    sum.calls += range.last - range.first;
    sum.time += whole_.gap_begin(range.last) - whole_.gap_begin(range.first);
    return sum;
  }
  // How many ranges end before a call, or at it.
  std::size_t ranges_before(std::uint32_t op) const {
    const auto next =
        std::ranges::partition_point(ranges_, [op](const LeftOut& range) { return range.last <= op; });
    return static_cast<std::size_t>(next - ranges_.begin());
  }
  LeftOut before(std::uint32_t op) const {
    const std::size_t ranges = ranges_before(op);
    return ranges == 0 ? LeftOut() : through(ranges_[ranges - 1]);
  }
  bool dropped(std::uint32_t op) const {
    const std::size_t ranges = ranges_before(op);
    return ranges < ranges_.size() && ranges_[ranges].first <= op;
  }
  std::uint32_t moved(std::uint32_t op) const { return op == kNoOp ? kNoOp : op - before(op).calls; }
  Duration earlier(std::uint32_t op) const { return op == kNoOp ? Duration::zero() : before(op).time; }
  Time moved(std::uint32_t op, Time time) const { return time - earlier(op); }

  // All of what was left out becomes a single instant.
  Time moved(Time time) const {
    const auto next = std::ranges::partition_point(
        ranges_, [&](const LeftOut& range) { return whole_.gap_begin(range.first) <= time; });
    if (next == ranges_.begin()) return time;
    const LeftOut& range = *std::prev(next);
    return std::max(time - through(range).time, whole_.gap_begin(range.first) - range.time);
  }

  // Started by a call that is kept, completed by one that is left out: then it is completed by the call in its
  // place, which is the one that has its number once this range and those after it are left out.
  bool crosses(std::uint32_t completed) const { return completed != kNoOp && dropped(completed); }
  std::uint32_t in_its_place(std::uint32_t completed) const {
    std::uint32_t op = completed;
    for (std::size_t i = ranges_before(completed); i < ranges_.size() && ranges_[i].first <= op; ++i)
      op += ranges_[i].last - ranges_[i].first;
    return std::min(op, static_cast<std::uint32_t>(whole_.size()) - 1);
  }
  std::uint32_t completion(std::uint32_t completed) const {
    return crosses(completed) ? moved(in_its_place(completed)) : moved(completed);
  }
  Time completion_time(std::uint32_t started, std::uint32_t completed, Time time) const {
    if (!crosses(completed)) return moved(completed == kNoOp ? started : completed, time);
    const std::uint32_t instead = in_its_place(completed);
    return moved(instead, time + (whole_.leave(instead) - whole_.leave(completed)));
  }

  // Calls visit(first, last) for the calls, and gaps, before, between and after the ranges.
  template <typename Visit>
  void for_each_kept(Visit visit) const {
    std::uint32_t first = 0;
    for (const LeftOut& range : ranges_) {
      visit(first, range.first);
      first = range.last;
    }
    visit(first, static_cast<std::uint32_t>(whole_.gaps()));
  }
  std::vector<Time> times(const std::vector<Time>& column) const {
    std::vector<Time> kept;
    for_each_kept([&](std::uint32_t first, std::uint32_t last) {
      last = std::min(last, static_cast<std::uint32_t>(column.size()));
      const Duration sooner = earlier(first);
      for (std::uint32_t op = first; op < last; ++op) kept.push_back(column[op] - sooner);
    });
    return kept;
  }
  template <typename Record>
  void shorten_gaps(const RowOffsets& offsets, const std::vector<Record>& all, RowOffsets& kept_offsets,
                    std::vector<Record>& kept) const {
    for_each_kept([&](std::uint32_t first, std::uint32_t last) {
      RowOffsets::Walk rows(offsets, first);
      for (std::uint32_t gap = first; gap < last; ++gap) {
        const auto [begin, end] = rows.next();
        kept.insert(kept.end(), all.begin() + begin, all.begin() + end);
        kept_offsets.end_row(kept.size());
      }
    });
  }
  std::vector<StepMark> step_marks() const {
    std::vector<StepMark> kept;
    std::uint32_t pieces = 0, samples = 0;  // left out so far
    auto range = ranges_.begin();
    for (const StepMark& mark : whole_.step_marks_) {
      for (; range != ranges_.end() && range->last <= mark.op; ++range) {
        pieces += whole_.piece_offset_[range->last] - whole_.piece_offset_[range->first];
        samples += whole_.sample_offset_[range->last] - whole_.sample_offset_[range->first];
      }
      if (dropped(mark.op)) continue;
      kept.push_back(mark);
      kept.back().time = moved(mark.op, mark.time);
      kept.back().op = moved(mark.op);
      kept.back().piece -= pieces;
      kept.back().sample -= samples;
    }
    return kept;
  }
  // Records with a time that belong to one call.
  template <typename Record>
  std::vector<Record> records(const std::vector<Record>& all) const {
    std::vector<Record> kept;
    for (const Record& record : all) {
      if (dropped(record.op)) continue;
      kept.push_back(record);
      kept.back().time = moved(record.op, record.time);
      kept.back().op = moved(record.op);
    }
    return kept;
  }

  const Timeline& whole_;
  std::vector<LeftOut> ranges_;  // in order
};

Trace without_calls(const Trace& trace, const std::vector<std::vector<CallRange>>& left_out) {
  return Retiming::Shortening::run(trace, left_out);
}

}  // namespace waitdiag
