// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/compared_waits.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

namespace waitdiag {

bool CutWaits::add(std::uint32_t wait, Time cut, ComparedWaits& compared) const {
  const Known& known = known_[place(wait)];
  if (known.cut.wait != wait || cut <= known.cut.after || cut >= known.cut.before) return false;
  compared.excess.insert(compared.excess.end(), known.excess.begin(), known.excess.end());
  ComparedWait& added = compared.waits.emplace_back(known.compared);
  added.excess_end = static_cast<std::uint32_t>(compared.excess.size());
  if (known.cut.begin < known.cut.end) {
    added.begin = cut;
    added.cut_share = share_after_cut(cut, known.cut.begin, known.cut.end);
  }
  return true;
}

void CutWaits::keep(const Cut& cut, const ComparedWaits& compared, std::size_t first_excess) {
  Known& known = known_[place(cut.wait)];
  known.cut = cut;
  known.compared = compared.waits.back();
  known.excess.assign(compared.excess.begin() + static_cast<std::ptrdiff_t>(first_excess),
                      compared.excess.end());
}

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
      make_comparison_([&trace, &activities, &states, &sums, usual, scalasca] {
        const OpeningCall opening = scalasca ? OpeningCall::Scalasca : OpeningCall::Completion;
        return WaitComparison(trace, activities, states, sums, opening, std::vector<std::uint8_t>(), usual);
      }),
      workspaces_([this] { return std::make_unique<Workspace>(Workspace{.whole = make_comparison_()}); }) {}

void WaitComparer::compare(std::span<const std::uint32_t> waits, ComparedWaits& compared) {
  compared.waits.clear();
  compared.excess.clear();
  workspaces_.with([&](Workspace& work) {
    work.whole.forget();
    for (std::size_t next = 0; next < waits.size(); ++next) {
      expect(waits.subspan(next));
      const std::uint32_t i = waits[next];
      if (!looks_for_causes(states_.waits[i])) {
        compared.waits.push_back({.wait = states_.waits[i],
                                  .index = i,
                                  .excess_end = static_cast<std::uint32_t>(compared.excess.size())});
        continue;
      }
      compare_one(i, intervals_[i], work.whole, compared);
      if (compared.waits.back().cuts_one()) follow_cut(intervals_[i].cause.from(), work, compared);
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
void WaitComparer::follow_cut(Time cut, Workspace& work, ComparedWaits& compared) const {
  constexpr int kLongestChain = 16;
  for (int link = 0; link < kLongestChain && compared.waits.back().cuts_one(); ++link) {
    const std::uint32_t i = compared.waits.back().cut.first;
    if (work.known.add(i, cut, compared)) {
      std::prev(compared.waits.end(), 2)->goes_on = true;
      continue;
    }
    const WaitState& wait = states_.waits[i];
    if (!looks_for_causes(wait) || trace_.enter(wait.cause) <= cut) return;
    const SideBehind cause = side_from(wait.cause, intervals_[i].cause, cut),
                     victim = side_from(wait.victim, intervals_[i].victim, cut);
    if (cause.is_cut && computes_at(wait.cause.location, cause.side, cut)) return;
    compared.waits.back().goes_on = true;
    if (!work.cut) work.cut = std::make_unique<WaitComparison>(make_comparison_());
    work.cut->forget();
    const std::size_t first_excess = compared.excess.size();
    compare_one(i, {cause.side, victim.side}, *work.cut, compared);
    compared.waits.back().is_cut = true;
    const CutWaits::Cut known = alike(i, cause, victim);
    if (known.after < cut && cut < known.before) work.known.keep(known, compared, first_excess);
  }
}

// For which instants what is compared is the same as for that at which these sides begin; it is not one of them if
// that depends on the instant.
CutWaits::Cut WaitComparer::alike(std::uint32_t i, const SideBehind& cause, const SideBehind& victim) const {
  const WaitState& wait = states_.waits[i];
  CutWaits::Cut cut{.wait = i, .before = trace_.enter(wait.cause)};
  const auto begin = [&](Location location, const IntervalSide& side) {
    return begin_of(trace_.timeline(location), side);
  };
  if (victim.is_cut) {  // where it waits for this cause
    cut.after = std::max(begin(wait.victim.location, intervals_[i].victim), trace_.enter(wait.victim));
  } else {
    cut.before = std::min(cut.before, begin(wait.victim.location, victim.side));
  }
  if (!cause.is_cut) {
    cut.before = std::min(cut.before, begin(wait.cause.location, cause.side));
    return cut;
  }
  const OpRef call{wait.cause.location, cause.side.start + 1};  // kNoOp + 1 == 0
  if (call == wait.cause) return {.wait = i, .before = Time::min()};
  cut.begin = trace_.enter(call);
  cut.end = cut.begin + waited_in_call(call);
  cut.after = std::max({cut.after, cut.begin, begin(wait.cause.location, intervals_[i].cause)});
  cut.before = std::min({cut.before, cut.end, trace_.leave(call)});
  return cut;
}

Duration WaitComparer::waited_in_call(OpRef call) const {
  Duration waited{};
  const auto waits = states_.waits_of(call.location);
  for (const WaitState& wait : waits.subspan(sums_.waits().first_from(call.location, call.op))) {
    if (wait.victim.op != call.op) break;
    waited += wait.wait;
  }
  return waited;
}

// Is the location in the middle of computation at this instant, at which this side begins? Then it was made
// late by all that it did, not only by what it happened to do from then on.
bool WaitComparer::computes_at(Location location, const IntervalSide& behind, Time instant) const {
  const Timeline& timeline = trace_.timeline(location);
  const std::uint32_t gap = behind.start == kNoOp ? 0 : behind.start + 1;
  return timeline.gap_begin(gap) < instant && instant < timeline.gap_end(gap);
}

WaitComparer::SideBehind WaitComparer::side_from(OpRef end, const IntervalSide& side, Time cut) const {
  const Timeline& timeline = trace_.timeline(end.location);
  if (begin_of(timeline, side) >= cut) return {side, false};
  return {side_behind(timeline, cut, end.op), true};
}

}  // namespace waitdiag
