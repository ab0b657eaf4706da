// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/derived/retimed.hpp"

#include <algorithm>

#include "analyzer/trace/derived/retiming.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {

class Retiming::Times {
 public:
  static void annotate(Trace& trace, const Anomaly& note) {
    trace.anomalies_.add(note.id, note.gravity, note.text, note.count);
  }

  static void move(Trace& trace, const std::vector<std::string>& node_of_rank) {
    if (node_of_rank.empty()) return;
    for (LocationInfo& location : trace.locations_) {
      location.node = node_of_rank[index(location.rank)];
      location.node_processors = 0;
      location.package = location.core = LocationInfo::kAnyPlace;
    }
  }
  static void set_property(Trace& trace, const std::string& name, const std::string& value) {
    trace.facts_.properties[name] = value;
  }

  static void set_first_uses(Trace& trace, std::vector<std::vector<FirstUse>> found) {
    for (std::size_t i = 0; i < trace.communicators_.size(); ++i)
      trace.communicators_[i].first_uses = std::move(found[i]);
  }

  static void run(Trace& trace, std::vector<NewTimes>& times) {
    for_each_index(times.size(), [&](std::size_t l) {
      Timeline& timeline = trace.timelines_[l];
      if (timeline.size() > 0 || times[l].end) Times(timeline, times[l]).retime();
    });
    bool any = false;
    for (const Timeline& timeline : trace.timelines_) {
      if (timeline.begin_ == timeline.end_) continue;  // nothing was seen here
      trace.begin_ = any ? std::min(trace.begin_, timeline.begin_) : timeline.begin_;
      trace.end_ = any ? std::max(trace.end_, timeline.end_) : timeline.end_;
      any = true;
    }
  }

 private:
  Times(Timeline& timeline, NewTimes& times)
      : timeline_(timeline),
        times_(times),
        end_(times.end ? *times.end : times.leave.back() + (timeline.end_ - timeline.leave_.back())) {}

  // Every column that holds times. The times of the calls come last, because the others are moved by them.
  void retime() {
    timeline_.sends_.change([&](MessageEnd& end) { end.time = from_enter(end.posted, end.time); });
    timeline_.receives_.change([&](MessageEnd& end) {
      end.time = from_leave(end.completed == kNoOp ? end.posted : end.completed, end.time);
    });
    for (CollectivePart& part : timeline_.collectives_) {
      part.begin = from_enter(part.op, part.begin);
      part.end = from_leave(part.completed == kNoOp ? part.op : part.completed, part.end);
    }
    for (PollRecord& poll : timeline_.polls_) poll.last = from_leave(poll.op, poll.last);
    for (RmaRecord& record : timeline_.rma_) record.time = from_enter(record.op, record.time);
    for (UserRegion& region : timeline_.user_regions_) {
      region.begin = near(next_op(region.begin), region.begin);
      region.end = near(next_op(region.end), region.end);
    }
    for (UsageReading& reading : timeline_.usage_) reading.time = near(reading.op, reading.time);
    const bool given = times_.pieces.size() == timeline_.pieces_.size();
    for (std::size_t i = 0; given && i < timeline_.pieces_.size(); ++i)
      timeline_.pieces_[i].time = times_.pieces[i];
    for (std::size_t gap = 0; !given && gap < timeline_.gaps(); ++gap) scale_gap(gap);
    for (StepMark& mark : timeline_.step_marks_) mark.time = behind_pieces(mark);
    timeline_.enter_ = std::move(times_.enter);
    timeline_.leave_ = std::move(times_.leave);
    timeline_.begin_ = times_.begin;
    timeline_.end_ = end_;
  }

  std::uint32_t next_op(Time time) const {
    const auto next = std::lower_bound(timeline_.enter_.begin(), timeline_.enter_.end(), time);
    return static_cast<std::uint32_t>(next - timeline_.enter_.begin());
  }
  Time new_begin(std::size_t gap) const { return gap == 0 ? times_.begin : times_.leave[gap - 1]; }
  Time new_end(std::size_t gap) const { return gap == timeline_.size() ? end_ : times_.enter[gap]; }

  Time from_enter(std::uint32_t op, Time time) const {
    return op == kNoOp ? time : std::min(times_.enter[op] + (time - timeline_.enter(op)), times_.leave[op]);
  }
  Time from_leave(std::uint32_t op, Time time) const {
    return op == kNoOp ? time : std::max(times_.leave[op] - (timeline_.leave(op) - time), times_.enter[op]);
  }

  // In the gap before call `op`, or in one of the calls on either side of it.
  Time near(std::uint32_t op, Time time) const {
    if (op > 0 && time < timeline_.leave(op - 1)) return from_enter(op - 1, time);
    if (op < timeline_.size() && time > timeline_.enter(op)) return from_enter(op, time);
    const Duration before = timeline_.gap_end(op) - timeline_.gap_begin(op);
    if (before == Duration::zero()) return new_begin(op);
    const Duration into = std::clamp(time - timeline_.gap_begin(op), Duration::zero(), before);
    return new_begin(op) + scaled(into, before, new_end(op) - new_begin(op));
  }

  // A mark comes after what was computed before it.
  Time behind_pieces(const StepMark& mark) const {
    Time time = new_begin(mark.op);
    for (std::uint32_t i = timeline_.piece_offset_[mark.op]; i < mark.piece; ++i)
      time += timeline_.pieces_[i].time;
    return time;
  }

  static Duration scaled(Duration part, Duration before, Duration after) {
    const double factor = static_cast<double>(after.count()) / static_cast<double>(before.count());
    return std::min(Duration(static_cast<Duration::rep>(factor * static_cast<double>(part.count()))), after);
  }

  // The last piece takes what rounding leaves.
  void scale_gap(std::size_t gap) {
    const auto [first, last] = timeline_.piece_offset_.row(gap);
    const auto pieces = std::span(timeline_.pieces_).subspan(first, last - first);
    const Duration before = timeline_.gap_end(gap) - timeline_.gap_begin(gap);
    const Duration after = new_end(gap) - new_begin(gap);
    if (pieces.empty() || after == before || before == Duration::zero()) return;
    Duration rest = after;
    for (ComputationPiece& piece : pieces.first(pieces.size() - 1)) {
      piece.time = std::min(scaled(piece.time, before, after), rest);
      rest -= piece.time;
    }
    pieces.back().time = rest;
  }

  Timeline& timeline_;
  NewTimes& times_;
  Time end_;
};

Trace retimed(Trace trace, std::vector<NewTimes> times, const Anomaly& note) {
  Retiming::Times::run(trace, times);
  return annotated(std::move(trace), note);
}

Trace moved(Trace trace, const std::vector<std::string>& node_of_rank) {
  Retiming::Times::move(trace, node_of_rank);
  return trace;
}

Trace with_property(Trace trace, const std::string& name, const std::string& value) {
  Retiming::Times::set_property(trace, name, value);
  return trace;
}

Trace with_first_uses(Trace trace, std::vector<std::vector<FirstUse>> found) {
  Retiming::Times::set_first_uses(trace, std::move(found));
  return trace;
}

Trace annotated(Trace trace, const Anomaly& note) {
  Retiming::Times::annotate(trace, note);
  return trace;
}

}  // namespace waitdiag
