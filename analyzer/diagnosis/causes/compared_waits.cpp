// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/compared_waits.hpp"

#include <memory>

namespace waitdiag {

WaitComparer::WaitComparer(const Trace& trace, const WaitStates& states,
                           const std::vector<SyncInterval>& intervals, const Activities& activities,
                           const ActivitySums& sums, const PassedOn& passed_on, const UsualParts* usual,
                           bool scalasca)
    : trace_(trace),
      states_(states),
      intervals_(intervals),
      sums_(sums),
      passed_on_(passed_on),
      scalasca_(scalasca),
      comparisons_([&trace, &activities, &states, &sums, usual, scalasca] {
        const OpeningCall opening = scalasca ? OpeningCall::Scalasca : OpeningCall::Completion;
        return std::make_unique<WaitComparison>(trace, activities, states, sums, opening,
                                                std::vector<std::uint8_t>(), usual);
      }) {}

void WaitComparer::compare(std::span<const std::uint32_t> waits, ComparedWaits& compared) {
  compared.waits.clear();
  compared.excess.clear();
  comparisons_.with([&](WaitComparison& comparison) {
    comparison.forget();
    for (std::size_t next = 0; next < waits.size(); ++next) {
      expect(waits.subspan(next));
      const std::uint32_t i = waits[next];
      if (!looks_for_causes(states_.waits[i])) {
        compared.waits.push_back({.wait = states_.waits[i],
                                  .index = i,
                                  .excess_end = static_cast<std::uint32_t>(compared.excess.size())});
        continue;
      }
      compare_one(i, intervals_[i], comparison, compared);
      if (compared.waits.back().cuts_one()) follow_cut(intervals_[i].cause.from(), compared);
    }
  });
}

// Waits follow in the order of time, so each lies elsewhere in memory: what comparing the next ones needs is fetched
// meanwhile, in steps, as each tells where the next one finds it.
void WaitComparer::expect(std::span<const std::uint32_t> next) const {
  constexpr std::size_t kStep = 4;  // waits
  if (4 * kStep < next.size()) {
    fetch(&states_.waits[next[4 * kStep]]);
    fetch(&intervals_[next[4 * kStep]]);
  }
  const auto for_each_end = [&](std::size_t steps, auto visit) {
    if (steps * kStep >= next.size()) return;
    const std::uint32_t wait = next[steps * kStep];
    const auto ends_of = [&](OpRef end, const IntervalSide& side) {
      visit(end);
      if (const OpRef begin{end.location, side.start + 1}; begin.op < end.op) visit(begin);  // kNoOp + 1 == 0
    };
    ends_of(states_.waits[wait].cause, intervals_[wait].cause);
    ends_of(states_.waits[wait].victim, intervals_[wait].victim);
  };
  for_each_end(3, [&](OpRef call) {
    trace_.timeline(call.location).expect(call.op);
    sums_.waits().expect(call.location, call.op);
  });
  for_each_end(2, [&](OpRef call) {
    trace_.timeline(call.location).expect_begin_of_pieces(call.op);
    passed_on_.expect_sum(call.location, sums_.waits().first_from(call.location, call.op));
  });
  for_each_end(1, [&](OpRef call) { trace_.timeline(call.location).expect_pieces(call.op); });
}

void WaitComparer::compare_one(std::uint32_t i, const SyncInterval& interval, WaitComparison& comparison,
                               ComparedWaits& compared) const {
  const WaitState& wait = states_.waits[i];
  for (const ExcessTime& part : comparison.compare(wait, interval))
    compared.excess.push_back({part.call_path, part.stalled, part.nanoseconds, part.net});
  const IntervalTimes& cause = comparison.cause();
  const Location location = wait.cause.location;
  const std::size_t whole_from = cause.first_wait() + cause.cut_waits();
  compared.waits.push_back({.wait = wait,
                            .index = i,
                            .excess_end = static_cast<std::uint32_t>(compared.excess.size()),
                            .begin = begin_of(trace_.timeline(location), interval.cause),
                            .end = trace_.enter(wait.cause),
                            .cut = passed_on_.stretch(location, cause.first_wait(), whole_from),
                            .whole = passed_on_.stretch(location, whole_from, cause.last_wait()),
                            .cut_share = cause.cut_share(),
                            .victim_waited = waited_in(wait.victim.location, comparison.victim())});
}

double WaitComparer::waited_in(Location location, const IntervalTimes& side) const {
  const std::size_t first = side.first_wait(), whole_from = first + side.cut_waits();
  return side.cut_share() * static_cast<double>(passed_on_.stretch(location, first, whole_from).nanoseconds) +
         static_cast<double>(passed_on_.stretch(location, whole_from, side.last_wait()).nanoseconds);
}

// An interval may begin in the middle of a wait. What prolonged that wait from then on lies in an interval
// that begins at the same instant, possibly again in the middle of a wait.
void WaitComparer::follow_cut(Time cut, ComparedWaits& compared) {
  constexpr int kLongestChain = 16;
  comparisons_.with([&](WaitComparison& comparison) {
    comparison.forget();
    for (int link = 0; link < kLongestChain && compared.waits.back().cuts_one(); ++link) {
      const std::uint32_t i = compared.waits.back().cut.first;
      const WaitState& wait = states_.waits[i];
      if (!looks_for_causes(wait) || trace_.enter(wait.cause) <= cut) return;
      const bool is_cut = begin_of(trace_.timeline(wait.cause.location), intervals_[i].cause) < cut;
      if (is_cut && computes_at(wait.cause, cut)) return;
      compared.waits.back().goes_on = true;
      compare_one(i,
                  {side_from(wait.cause, intervals_[i].cause, cut),
                   side_from(wait.victim, intervals_[i].victim, cut)},
                  comparison, compared);
      compared.waits.back().is_cut = true;
    }
  });
}

// Is the location in the middle of computation at this instant, which is before `end`? Then it was made
// late by all that it did, not only by what it happened to do from then on.
bool WaitComparer::computes_at(OpRef end, Time instant) const {
  const Timeline& timeline = trace_.timeline(end.location);
  const std::uint32_t over = side_behind(timeline, instant, end.op).start;
  const std::uint32_t gap = over == kNoOp ? 0 : over + 1;
  return timeline.gap_begin(gap) < instant && instant < timeline.gap_end(gap);
}

IntervalSide WaitComparer::side_from(OpRef end, const IntervalSide& side, Time cut) const {
  const Timeline& timeline = trace_.timeline(end.location);
  return begin_of(timeline, side) < cut ? side_behind(timeline, cut, end.op) : side;
}

}  // namespace waitdiag
