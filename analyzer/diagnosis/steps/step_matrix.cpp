// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/steps/step_matrix.hpp"

#include <algorithm>

#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/parts_of_call.hpp"

namespace waitdiag {
namespace {

constexpr std::uint32_t kNoPlace = kNoOp;

class Spreading {
 public:
  Spreading(const Trace& trace, const Activities& activities, const StalledCalls& stalled,
            std::vector<CallPathSpread>& spreads)
      : trace_(trace),
        activities_(activities),
        stalled_(stalled),
        spreads_(spreads),
        place_(activities.slots(), kNoPlace) {
    for (std::uint32_t i = 0; i < spreads.size(); ++i) place_[activities.slot(spreads[i].call_path)] = i;
  }

  void add_part(Location location, const GapPart& part, std::uint32_t step) {
    activities_.for_each_in(location, part, [&](ActivityId activity, Duration time) {
      const auto nanoseconds = static_cast<double>(time.count());
      if (activities_.is_exact(activity)) return add(location, index(activity), step, nanoseconds, 0);
      for (const Share& share : activities_.shares(activity))
        add(location, activities_.slot(share.call_path), step, share.share() * nanoseconds, 0);
    });
    for (const ComputationPiece& piece : trace_.timeline(location).pieces(part))
      if (piece.visits > 0) add(location, activities_.slot(piece.call_path), step, 0, piece.visits);
  }

  void add_call(Location location, std::uint32_t op, std::uint32_t step, Duration waited, bool goes_on) {
    const Timeline& timeline = trace_.timeline(location);
    const Duration taken = stalled_.sum(location, op, op + 1).taken;
    add(location, activities_.slot(timeline.call_path(op)), step,
        static_cast<double>((timeline.length(op) - waited - taken).count()), goes_on ? 0 : 1);
    if (taken > Duration::zero())
      add(location, activities_.slot(stalled_.taken_path()), step, static_cast<double>(taken.count()), 1);
  }

 private:
  void add(Location location, std::size_t slot, std::uint32_t step, double nanoseconds, double executions) {
    if (place_[slot] == kNoPlace) return;
    CallPathSpread& spread = spreads_[place_[slot]];
    const std::size_t rank = index(trace_.rank(location));
    spread.rank_time[rank] += nanoseconds;
    spread.rank_visits[rank] += executions;
    spread.overview.add(rank, step, nanoseconds, executions);
    spread.close_up.add(rank, step, nanoseconds, executions);
  }

  const Trace& trace_;
  const Activities& activities_;
  const StalledCalls& stalled_;
  std::vector<CallPathSpread>& spreads_;
  std::vector<std::uint32_t> place_;  // by slot of Activities
};

}  // namespace

StepMatrix::StepMatrix(std::size_t ranks, std::uint32_t first, std::uint32_t total_steps, std::uint32_t most)
    : first_step(first),
      steps(total_steps),
      per_column(most == 0 ? 1 : std::max(1u, (total_steps + most - 1) / most)),
      columns((total_steps + per_column - 1) / per_column),
      time(ranks * columns, 0.0),
      visits(ranks * columns, 0.0) {}

void StepMatrix::add(std::size_t rank, std::uint32_t step, double nanoseconds, double executions) {
  if (step < first_step || step - first_step >= steps) return;  // Steps::kOutside is beyond all steps
  const std::size_t cell = rank * columns + (step - first_step) / per_column;
  time[cell] += nanoseconds;
  visits[cell] += executions;
}

std::vector<CallPathSpread> spread_over_steps(const Trace& trace, const WaitStates& states,
                                              const Activities& activities, const Steps& steps,
                                              std::span<const CallPathId> call_paths, SpreadLimits limits,
                                              const StalledCalls& stalled) {
  const std::uint32_t close = std::min(steps.count(), limits.close_up_steps);
  const std::vector<double> none(trace.ranks(), 0.0);
  std::vector<CallPathSpread> spreads;
  for (const CallPathId path : call_paths) {
    spreads.push_back({path,
                       false,
                       none,
                       none,
                       {trace.ranks(), 0, steps.count(), limits.overview_columns},
                       {trace.ranks(), (steps.count() - close) / 2, close, close}});
  }
  Spreading spreading(trace, activities, stalled, spreads);
  std::vector<std::vector<Location>> locations(trace.ranks());  // by rank: they share a row
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l)
    locations[index(trace.rank(Location(l)))].push_back(Location(l));
  for_each_index(locations.size(), [&](std::size_t rank) {
    for (const Location location : locations[rank]) {
      const auto waits = states.waits_of(location);
      const PartsOfCalls parts(trace, location);
      auto wait = waits.begin();
      steps.for_each_part(trace, location, [&](const GapPart& part, std::uint32_t step) {
        spreading.add_part(location, part, step);
        if (!part.last || part.gap == trace.timeline(location).size()) return;
        Duration waited{};
        for (; wait != waits.end() && wait->victim.op == part.gap; ++wait) waited += wait->wait;
        spreading.add_call(location, part.gap, step, waited, parts.goes_on(part.gap));
      });
    }
  });
  for (CallPathSpread& spread : spreads)
    spread.visits_known = std::ranges::any_of(spread.rank_visits, [](double visits) { return visits > 0; });
  return spreads;
}

}  // namespace waitdiag
