// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/builder/excerpts.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>
#include <vector>

namespace waitdiag {

class ExcerptJoin {
 public:
  explicit ExcerptJoin(Trace& trace) : trace_(trace) {}

  void run() {
    RunFacts& facts = trace_.facts_;
    if (!find_pauses() && !facts.excerpts) return;
    facts.paused = !facts.excerpts;
    facts.run_time = trace_.end_ - trace_.begin_;
    facts.numbered_excerpts = facts.excerpts || number_excerpts();
    if (!facts.numbered_excerpts) end_with_first_pause();
    find_cuts(facts.excerpts ? pauses_.size() : 1);
    for (Timeline& timeline : trace_.timelines_) join(timeline);
    trace_.begin_ = joined(trace_.begin_);
    trace_.end_ = joined(trace_.end_);
    if (facts.paused) report();
  }

 private:
  struct Pause {
    Time begin{}, end{};
  };
  struct Cut {
    Time begin{}, end{};
    Duration before{};  // all earlier cuts
  };

  // Finds the pauses of each rank that recorded anything. False: there are none.
  bool find_pauses() {
    bool any = false;
    std::vector<std::vector<const Timeline*>> processes(trace_.ranks());
    for (std::size_t l = 0; l < trace_.timelines_.size(); ++l)
      processes[index(trace_.rank(Location(l)))].push_back(&trace_.timelines_[l]);
    for (std::size_t rank = 0; rank < trace_.ranks(); ++rank) {
      const Timeline& main = trace_.timeline(trace_.main_location(Rank(rank)));
      if (main.begin() == main.end()) continue;
      if (trace_.facts_.excerpts) processes[rank] = {&main};  // a thread's excerpt may be cut short
      ranks_.push_back(Rank(rank));
      pauses_.push_back(pauses_of(processes[rank]));
      any = any || !pauses_.back().empty();
    }
    const Time last = last_call_of_all();
    for (std::vector<Pause>& pauses : pauses_)
      for (Pause& pause : pauses) pause = {std::min(pause.begin, last), std::min(pause.end, last)};
    return any;
  }

  static std::vector<Pause> pauses_of(const std::vector<const Timeline*>& process) {
    std::vector<MeasurementSwitch> switches;
    Time end = Time::min();
    for (const Timeline* timeline : process) {
      switches.insert(switches.end(), timeline->switches_.begin(), timeline->switches_.end());
      end = std::max(end, timeline->end_);
    }
    std::stable_sort(switches.begin(), switches.end(),
                     [](const auto& one, const auto& other) { return one.time < other.time; });
    std::vector<Pause> pauses;
    bool on = true;
    for (const MeasurementSwitch& change : switches) {
      if (change.on == on) continue;
      on = change.on;
      if (on)
        pauses.back().end = change.time;
      else
        pauses.push_back({change.time, end});
    }
    return pauses;
  }

  // In a pause nothing is recorded, except a call that was never left. What follows is how the run ended.
  Time last_call_of_all() const {
    Time last = Time::max();
    for (const Timeline& timeline : trace_.timelines_) {
      if (!timeline.ends_in_call_ || timeline.switches_.empty()) continue;
      const Time entered = timeline.enter_.back();
      if (timeline.switches_.back().on && timeline.switches_.back().time == entered)
        last = std::min(last, entered);
    }
    return last;
  }

  // False: ranks do not pause equally often.
  bool number_excerpts() {
    for (std::size_t i = 1; i < pauses_.size(); ++i) {
      if (pauses_[i].size() == pauses_.front().size()) continue;
      const auto times = [this](std::size_t which) {
        return "rank " + std::to_string(index(ranks_[which])) + ": " + std::to_string(pauses_[which].size());
      };
      difference_ = times(0) + ", " + times(i) + " pauses";
      return false;
    }
    for (std::size_t l = 0; l < trace_.timelines_.size(); ++l) {
      const auto rank = std::ranges::lower_bound(ranks_, trace_.rank(Location(l)));
      if (rank == ranks_.end() || *rank != trace_.rank(Location(l))) continue;
      Timeline& timeline = trace_.timelines_[l];
      for (const Pause& pause : pauses_[static_cast<std::size_t>(rank - ranks_.begin())]) {
        const auto first = std::ranges::lower_bound(timeline.enter_, pause.end);
        timeline.excerpts_.push_back(
            {static_cast<std::uint32_t>(first - timeline.enter_.begin()), timeline.excerpts_.size() + 1});
      }
    }
    return true;
  }

  // After it, nothing tells which records of different ranks belong together.
  void end_with_first_pause() {
    Time first = Time::max();
    for (const std::vector<Pause>& pauses : pauses_)
      if (!pauses.empty()) first = std::min(first, pauses.front().begin);
    for (Timeline& timeline : trace_.timelines_) leave_out(timeline, first);
    pauses_ = {{{first, trace_.end_}}};
  }

  // Leaves out the operations from `begin` on and their records; their times are cut out with all others.
  static void leave_out(Timeline& timeline, Time begin) {
    const auto kept = static_cast<std::uint32_t>(std::ranges::lower_bound(timeline.enter_, begin) -
                                                 timeline.enter_.begin());
    const auto later = [&](const auto& record) { return record.time >= begin; };
    std::erase_if(timeline.step_marks_, later);
    std::erase_if(timeline.usage_, later);
    std::erase_if(timeline.user_regions_, [&](const UserRegion& region) { return region.begin >= begin; });
    if (kept == timeline.size()) return;
    std::erase_if(timeline.counted_work_, [kept](const CountedWork& work) { return work.op > kept; });
    const auto behind = [kept](std::uint32_t op) { return op != kNoOp && op >= kept; };
    timeline.end_ = timeline.enter_[kept];
    timeline.ends_in_call_ = false;
    for (auto* column : {&timeline.enter_, &timeline.leave_}) column->resize(kept);
    timeline.call_path_.resize(kept);
    for (auto* column : {&timeline.piece_offset_, &timeline.sample_offset_}) column->keep_rows(kept + 1);
    timeline.pieces_.resize(timeline.piece_offset_.entries());
    timeline.samples_.resize(timeline.sample_offset_.entries());
    for (auto* ends : {&timeline.sends_, &timeline.receives_}) {
      ends->erase_if([&](const MessageEnd& end) { return behind(end.posted); });
      for (std::size_t i = 0; i < ends->size(); ++i)
        if (behind(ends->completed(i))) ends->complete(i, kNoOp);
    }
    std::erase_if(timeline.collectives_,
                  [&](const CollectivePart& part) { return behind(part.op) || behind(part.completed); });
    const auto of_operation = [&](const auto& record) { return behind(record.op); };
    std::erase_if(timeline.rma_, of_operation);
    std::erase_if(timeline.polls_, of_operation);
    std::erase_if(timeline.preempted_calls_, of_operation);
    std::erase_if(timeline.file_accesses_, of_operation);
    std::erase_if(timeline.thread_starts_, of_operation);
    std::erase_if(timeline.thread_joins_, of_operation);
    for (auto* lives : {&timeline.lives_, &timeline.wakes_})
      for (ThreadLife& life : *lives)
        for (std::uint32_t* op : {&life.before, &life.behind})
          if (behind(*op)) *op = kNoOp;
  }

  // Where at least `ranks` ranks pause at the same time.
  void find_cuts(std::size_t ranks) {
    std::vector<std::pair<Time, int>> changes;
    std::size_t paused = 0;
    for (const std::vector<Pause>& pauses : pauses_) {
      for (const Pause& pause : pauses) {
        changes.emplace_back(pause.begin, 1);
        changes.emplace_back(pause.end, -1);
      }
    }
    std::sort(changes.begin(), changes.end());
    Duration before{};
    for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
      paused = changes[i].second > 0 ? paused + 1 : paused - 1;
      if (paused < ranks) continue;
      const Time begin = changes[i].first, end = changes[i + 1].first;
      if (end <= begin) continue;
      cuts_.push_back({begin, end, before});
      before += end - begin;
    }
  }

  // The pauses of all ranks together may be longer than the run: that sum is not reported.
  void report() const {
    char text[320];
    const double left_out = seconds(trace_.facts_.run_time - (trace_.end_ - trace_.begin_)),
                 run_time = seconds(trace_.facts_.run_time);
    if (trace_.facts_.numbered_excerpts) {
      std::snprintf(text, sizeof text,
                    "the recording was paused (WAITPROF_STEPS, MPI_Pcontrol or the like): %.6f s of %.6f s "
                    "are left out everywhere, from when the first rank paused until the last one went on",
                    left_out, run_time);
      trace_.anomalies_.add("measurement_off", Gravity::Warning, text, pauses_.front().size());
      return;
    }
    std::snprintf(text, sizeof text,
                  "ranks did not pause the recording at the same places (%s), so that nobody knows which of "
                  "their calls belong together: %.6f s of %.6f s are left out everywhere, from when the "
                  "first rank paused",
                  difference_.c_str(), left_out, run_time);
    trace_.anomalies_.add("measurement_off", Gravity::Serious, text);
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
    timeline.for_each_part([&](const GapPart& part) { shorten(timeline, part); });
    for (auto* ends : {&timeline.sends_, &timeline.receives_})
      ends->change([&](MessageEnd& end) { end.time = joined(end.time); });
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
    timeline.switches_.clear();
    join_usage(timeline.usage_);
    for (auto* column : {&timeline.enter_, &timeline.leave_})
      for (Time& time : *column) time = joined(time);
    timeline.begin_ = joined(timeline.begin_);
    timeline.end_ = joined(timeline.end_);
    timeline.left_out_ = length - (timeline.end_ - timeline.begin_);
  }

  // What was cut out is taken from the pause, else (a thread that was not told of it) from what is not known,
  // else from what took longest.
  void shorten(Timeline& timeline, const GapPart& part) const {
    Duration cut = part.length() - (joined(part.end) - joined(part.begin));
    const auto pieces =
        std::span(timeline.pieces_).subspan(part.first_piece, part.last_piece - part.first_piece);
    const auto take = [&cut](ComputationPiece& piece) {
      const Duration taken = std::min(cut, piece.time);
      piece.time -= taken;
      cut -= taken;
    };
    for (ComputationPiece& piece : pieces)
      if (piece.call_path != kNoCallPath && trace_.region(piece.call_path).name == kPauseRegion) take(piece);
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

  // What has added up since the start, less what it grew by in what was cut out.
  struct Accumulated {
    Duration all{}, kept{};
    Duration keep(Duration now, double share) {
      kept += Duration(static_cast<Duration::rep>(share * static_cast<double>((now - all).count())));
      all = now;
      return kept;
    }
  };

  void join_usage(std::vector<UsageReading>& readings) const {
    Time before{};
    Accumulated processor, stolen, busy;
    for (std::size_t i = 0; i < readings.size(); ++i) {
      UsageReading& reading = readings[i];
      const Time time = reading.time;
      const Duration whole = time - before, part = joined(time) - joined(before);
      const double share = i == 0 ? 1
                           : whole > Duration::zero()
                               ? static_cast<double>(part.count()) / static_cast<double>(whole.count())
                               : 0;
      reading.processor_time = processor.keep(reading.processor_time, share);
      if (reading.stolen) reading.stolen = stolen.keep(*reading.stolen, share);
      if (reading.node_busy) reading.node_busy = busy.keep(*reading.node_busy, share);
      reading.time = joined(time);
      before = time;
    }
  }

  Trace& trace_;
  std::vector<Rank> ranks_;                 // that recorded anything
  std::vector<std::vector<Pause>> pauses_;  // of each of these ranks, in time order
  std::string difference_;                  // between them, if they do not pause equally often
  std::vector<Cut> cuts_;
};

std::string excerpts_note(const Trace& trace) {
  const RunFacts& facts = trace.facts();
  if (!facts.excerpts && !facts.paused) return "";
  char text[240];
  std::snprintf(text, sizeof text,
                facts.excerpts
                    ? "The recording has excerpts of the run only (WAITPROF_PROFILE=light), %.3f s of %.3f "
                      "s; all this is about them, one behind the other."
                    : "The recording was paused, %.3f s of %.3f s were recorded; all this is about what was "
                      "recorded, one behind the other.",
                seconds(trace.end() - trace.begin()), seconds(facts.run_time));
  return text;
}

Trace join_excerpts(Trace trace) {
  ExcerptJoin(trace).run();
  return trace;
}

}  // namespace waitdiag
