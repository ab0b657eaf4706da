// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/shortened.hpp"

#include <algorithm>

#include "analyzer/trace/model/retiming.hpp"

namespace waitdiag {

class Retiming::Shortening {
 public:
  static Trace run(const Trace& trace, const std::vector<CallRange>& left_out) {
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
  Shortening(const Timeline& whole, const CallRange& range)
      : whole_(whole),
        range_(range),
        earlier_(range.empty() ? Duration::zero()
                               : whole.gap_begin(range.last) - whole.gap_begin(range.first)) {}

  Timeline timeline() const {
    Timeline result;
    result.begin_ = whole_.begin_;
    result.end_ = whole_.end_ - earlier_;
    result.ends_in_call_ = whole_.ends_in_call_;
    result.enter_ = without(whole_.enter_, range_, earlier_);
    result.leave_ = without(whole_.leave_, range_, earlier_);
    result.call_path_ = without(whole_.call_path_, range_);
    shorten_gaps(whole_.piece_offset_, whole_.pieces_, result.piece_offset_, result.pieces_);
    shorten_gaps(whole_.sample_offset_, whole_.samples_, result.sample_offset_, result.samples_);
    for (const MessageEnd& end : whole_.sends_) {
      if (dropped(end.posted)) continue;
      MessageEnd& kept = result.sends_.emplace_back(end);
      kept.time = moved(end.posted, end.time);
      kept.completed = completion(end.posted, end.completed);
      kept.posted = moved(end.posted);
    }
    for (const MessageEnd& end : whole_.receives_) {
      if (dropped(end.posted)) continue;
      MessageEnd& kept = result.receives_.emplace_back(end);
      kept.time = completion_time(end.posted, end.completed, end.time);
      kept.completed = completion(end.posted, end.completed);
      kept.posted = moved(end.posted);
    }
    for (const CollectivePart& part : whole_.collectives_) {
      if (dropped(part.op)) continue;
      CollectivePart& kept = result.collectives_.emplace_back(part);
      kept.begin = moved(part.op, part.begin);
      kept.end = completion_time(part.op, part.completed, part.end);
      kept.completed = completion(part.op, part.completed);
      kept.op = moved(part.op);
    }
    result.rma_ = records(whole_.rma_);
    result.step_marks_ = records(whole_.step_marks_);
    for (StepMark& mark : result.step_marks_) {
      if (mark.op < range_.first) continue;
      mark.piece -= whole_.piece_offset_[range_.last] - whole_.piece_offset_[range_.first];
      mark.sample -= whole_.sample_offset_[range_.last] - whole_.sample_offset_[range_.first];
    }
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
      if (!dropped(poll.op)) result.polls_.push_back({poll.in_vain, moved(poll.op)});
    return result;
  }

  bool after(std::uint32_t op) const { return op != kNoOp && op >= range_.last; }
  bool dropped(std::uint32_t op) const { return op >= range_.first && op < range_.last; }
  std::uint32_t calls() const { return range_.last - range_.first; }
  std::uint32_t moved(std::uint32_t op) const { return after(op) ? op - calls() : op; }
  Time moved(std::uint32_t op, Time time) const { return after(op) ? time - earlier_ : time; }

  // All of what was left out becomes a single instant.
  Time moved(Time time) const {
    if (range_.empty() || time < whole_.gap_begin(range_.first)) return time;
    return std::max(time - earlier_, whole_.gap_begin(range_.first));
  }

  // Started by a call that is kept, completed by one that may be left out: then it is completed by the call
  // in its place, which has the same number.
  bool crosses(std::uint32_t started, std::uint32_t completed) const {
    return started < range_.first && completed != kNoOp && completed >= range_.first && !range_.empty();
  }
  std::uint32_t completion(std::uint32_t started, std::uint32_t completed) const {
    return crosses(started, completed) ? completed : moved(completed);
  }
  Time completion_time(std::uint32_t started, std::uint32_t completed, Time time) const {
    if (!crosses(started, completed)) return moved(completed == kNoOp ? started : completed, time);
    return time + (whole_.leave(completed + calls()) - earlier_ - whole_.leave(completed));
  }

  template <typename Column>
  static Column without(const Column& column, const CallRange& range) {
    Column kept(column.begin(), column.begin() + range.first);
    kept.insert(kept.end(), column.begin() + range.last, column.end());
    return kept;
  }
  static std::vector<Time> without(const std::vector<Time>& column, const CallRange& range,
                                   Duration earlier) {
    std::vector<Time> kept = without(column, range);
    for (std::size_t i = range.first; i < kept.size(); ++i) kept[i] -= earlier;
    return kept;
  }
  template <typename Record>
  void shorten_gaps(const RowOffsets& offsets, const std::vector<Record>& all, RowOffsets& kept_offsets,
                    std::vector<Record>& kept) const {
    const std::uint32_t first = offsets[range_.first], last = offsets[range_.last];
    kept = without(all, {first, last});
    for (std::size_t row = 0; row < range_.first; ++row) kept_offsets.end_row(offsets[row + 1]);
    for (std::size_t row = range_.last; row < offsets.rows(); ++row)
      kept_offsets.end_row(offsets[row + 1] - (last - first));
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
  CallRange range_;
  Duration earlier_;
};

Trace without_calls(const Trace& trace, const std::vector<CallRange>& left_out) {
  return Retiming::Shortening::run(trace, left_out);
}

}  // namespace waitdiag
