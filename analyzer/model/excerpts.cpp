// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/model/excerpts.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace waitdiag {

std::uint64_t Timeline::excerpt_at(Time time) const {
  const auto next = std::upper_bound(excerpts_.begin(), excerpts_.end(), time,
                                     [](Time at, const ExcerptMark& mark) { return at < mark.begin; });
  return next == excerpts_.begin() ? 0 : std::prev(next)->number;
}

class ExcerptJoin {
 public:
  explicit ExcerptJoin(Trace& trace) : trace_(trace) { find_cuts(); }

  void run() {
    trace_.facts_.run_time = trace_.end_ - trace_.begin_;
    for (Timeline& timeline : trace_.timelines_) join(timeline);
    trace_.begin_ = joined(trace_.begin_);
    trace_.end_ = joined(trace_.end_);
  }

 private:
  struct Cut {
    Time begin{}, end{};
    Duration before{};  // all earlier cuts
  };

  // Where the pauses of all ranks overlap.
  void find_cuts() {
    std::vector<std::pair<Time, int>> changes;
    int ranks = 0, paused = 0;
    for (std::size_t rank = 0; rank < trace_.ranks(); ++rank) {
      const Timeline& timeline = trace_.timeline(trace_.main_location(Rank(rank)));
      if (timeline.begin() == timeline.end()) continue;
      ++ranks;
      for (const auto& [off, on] : timeline.pauses_) {
        changes.emplace_back(off, 1);
        changes.emplace_back(std::min(on, timeline.end()), -1);
      }
    }
    std::sort(changes.begin(), changes.end());
    Duration before{};
    for (std::size_t i = 0; i < changes.size(); ++i) {
      paused += changes[i].second;
      if (paused < ranks || ranks == 0 || i + 1 == changes.size()) continue;
      const Time begin = changes[i].first, end = changes[i + 1].first;
      if (end <= begin) continue;
      cuts_.push_back({begin, end, before});
      before += end - begin;
    }
  }

  Time joined(Time time) const {
    const auto next = std::upper_bound(cuts_.begin(), cuts_.end(), time,
                                       [](Time at, const Cut& cut) { return at < cut.begin; });
    if (next == cuts_.begin()) return time;
    const Cut& cut = *std::prev(next);
    return time - cut.before - (std::min(time, cut.end) - cut.begin);
  }

  void join(Timeline& timeline) const {
    const Duration length = timeline.end_ - timeline.begin_;
    for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) shorten(timeline, gap);
    for (MessageEnd& end : timeline.sends_) end.time = joined(end.time);
    for (MessageEnd& end : timeline.receives_) end.time = joined(end.time);
    for (CollectivePart& part : timeline.collectives_) {
      part.begin = joined(part.begin);
      part.end = joined(part.end);
    }
    for (RmaRecord& record : timeline.rma_) record.time = joined(record.time);
    for (StepMark& mark : timeline.step_marks_) mark.time = joined(mark.time);
    for (UserRegion& region : timeline.user_regions_) {
      region.begin = joined(region.begin);
      region.end = joined(region.end);
    }
    for (ExcerptMark& mark : timeline.excerpts_) mark.begin = joined(mark.begin);
    join_usage(timeline.usage_);
    for (auto* column : {&timeline.enter_, &timeline.leave_})
      for (Time& time : *column) time = joined(time);
    timeline.begin_ = joined(timeline.begin_);
    timeline.end_ = joined(timeline.end_);
    timeline.left_out_ = length - (timeline.end_ - timeline.begin_);
  }

  // What was cut out is the pause, else (a thread that was not told of it) what is not known, else what took
  // longest.
  void shorten(Timeline& timeline, std::size_t gap) const {
    const Time begin = timeline.gap_begin(gap), end = timeline.gap_end(gap);
    Duration cut = (end - begin) - (joined(end) - joined(begin));
    const std::uint32_t first = timeline.piece_offset_[gap];
    const auto pieces = std::span(timeline.pieces_).subspan(first, timeline.piece_offset_[gap + 1] - first);
    const auto take = [&cut](ComputationPiece& piece) {
      const Duration part = std::min(cut, piece.time);
      piece.time -= part;
      cut -= part;
    };
    for (ComputationPiece& piece : pieces)
      if (piece.call_path != kNoCallPath && trace_.region(piece.call_path).kind == CallKind::Artificial)
        take(piece);
    for (ComputationPiece& piece : pieces)
      if (piece.call_path == kNoCallPath) take(piece);
    while (cut > Duration::zero() && !pieces.empty()) {
      ComputationPiece& longest =
          *std::max_element(pieces.begin(), pieces.end(),
                            [](const auto& one, const auto& other) { return one.time < other.time; });
      if (longest.time == Duration::zero()) return;
      take(longest);
    }
  }

  void join_usage(std::vector<UsageReading>& readings) const {
    Time before{};
    Duration used{}, kept{};
    for (std::size_t i = 0; i < readings.size(); ++i) {
      UsageReading& reading = readings[i];
      const Time time = reading.time;
      const Duration whole = time - before, part = joined(time) - joined(before),
                     more = reading.processor_time - used;
      used = reading.processor_time;
      if (i == 0) {
        kept = used;
      } else if (whole > Duration::zero()) {
        const double share = static_cast<double>(part.count()) / static_cast<double>(whole.count());
        kept += Duration(static_cast<Duration::rep>(share * static_cast<double>(more.count())));
      }
      reading.processor_time = kept;
      reading.time = joined(time);
      before = time;
    }
  }

  Trace& trace_;
  std::vector<Cut> cuts_;
};

std::string excerpts_note(const Trace& trace) {
  if (!trace.facts().excerpts) return "";
  char text[200];
  std::snprintf(text, sizeof text,
                "The recording has excerpts of the run only (WAITPROF_PROFILE=light), %.3f s of %.3f s; all "
                "this is about them, one behind the other.",
                seconds(trace.end() - trace.begin()), seconds(trace.facts().run_time));
  return text;
}

Trace join_excerpts(Trace trace) {
  ExcerptJoin(trace).run();
  return trace;
}

}  // namespace waitdiag
