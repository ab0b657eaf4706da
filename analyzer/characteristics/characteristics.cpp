// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/characteristics/characteristics.hpp"

#include <algorithm>

#include "analyzer/characteristics/desynchronisation.hpp"
#include "analyzer/characteristics/operation_classes.hpp"
#include "analyzer/characteristics/serial_time.hpp"

namespace waitdiag {
namespace {

using Part = Characteristics::Part;

// One row while it is summed up.
struct Sum {
  Characteristics row{};
  Time begin = Time::max(), end = Time::min();
};

class Summing {
 public:
  Summing(const Trace& trace, const WaitStates& states, const Steps& steps, std::uint32_t most_groups)
      : trace_(trace),
        states_(states),
        steps_(steps),
        serial_(trace),
        group_of_gap_(trace.timelines().size()) {
    const std::uint32_t groups = std::min(steps.count(), most_groups);
    if (groups > 0) per_group_ = (steps.count() + groups - 1) / groups;
    for (const Part part : {Part::Run, Part::BeforeSteps, Part::Steps, Part::AfterSteps})
      sums_.push_back({.row = {.part = part}});
    for (std::uint32_t first = 0; first < steps.count(); first += per_group_)
      sums_.push_back({.row = {.part = Part::SomeSteps,
                               .first_step = first,
                               .last_step = std::min(first + per_group_, steps.count()) - 1}});
  }

  void add_rank(Location location) {
    const Timeline& timeline = trace_.timeline(location);
    const std::vector<Duration> overlap = overlap_by_gap(timeline);
    const auto waits = states_.waits_of(location);
    auto wait = waits.begin();
    Part part = Part::BeforeSteps;
    steps_.for_each_gap(trace_, location, [&](std::size_t gap, std::uint32_t step) {
      if (step != Steps::kOutside) part = Part::Steps;
      if (step == Steps::kOutside && part == Part::Steps) part = Part::AfterSteps;
      const std::size_t group =
          step == Steps::kOutside ? static_cast<std::size_t>(part) : kFirstGroup + step / per_group_;
      group_of_gap_[index(location)].push_back(group);
      Sum here{.begin = timeline.gap_begin(gap), .end = timeline.gap_end(gap)};
      here.row.productive = here.end - here.begin;
      here.row.overlap = overlap[gap];
      if (gap < timeline.size()) {
        const auto op = static_cast<std::uint32_t>(gap);
        here.end = timeline.leave(op);
        here.row.communication = timeline.length(op);
        for (; wait != waits.end() && wait->victim.op == op; ++wait)
          add_wait(timeline.enter(op), *wait, here.row);
      }
      for_each_row(group, [&](Sum& sum) { add(here, sum); });
    });
  }

  void add_desynchronised(OpRef call, Duration before, Duration after) {
    if (call.op >= group_of_gap_[index(call.location)].size()) return;
    for_each_row(group_of_gap_[index(call.location)][call.op], [&](Sum& sum) {
      sum.row.desynchronised_before += before;
      sum.row.desynchronised_after += after;
    });
  }

  std::vector<Characteristics> result() {
    std::vector<Characteristics> rows;
    for (Sum& sum : sums_) {
      if (sum.end <= sum.begin) continue;
      Characteristics& row = sum.row;
      row.time = sum.end - sum.begin;
      row.processor_time = row.time * static_cast<std::int64_t>(trace_.ranks());
      row.idle = row.lost() - row.communication - row.insufficient_parallelism;
      rows.push_back(row);
    }
    return rows;
  }

 private:
  static constexpr std::size_t kFirstGroup = 4;  // rows before: by Part

  void add_wait(Time enter, const WaitState& wait, Characteristics& row) const {
    row.communication -= wait.wait;
    row.insufficient_parallelism += serial_.between(enter, enter + wait.wait);
  }

  static void add(const Sum& part, Sum& sum) {
    sum.begin = std::min(sum.begin, part.begin);
    sum.end = std::max(sum.end, part.end);
    sum.row.productive += part.row.productive;
    sum.row.overlap += part.row.overlap;
    sum.row.communication += part.row.communication;
    sum.row.insufficient_parallelism += part.row.insufficient_parallelism;
  }

  // A group of steps counts for all steps as well, and everything for the run.
  template <typename Visit>
  void for_each_row(std::size_t group, Visit visit) {
    visit(sums_[static_cast<std::size_t>(Part::Run)]);
    visit(sums_[group]);
    if (group >= kFirstGroup) visit(sums_[static_cast<std::size_t>(Part::Steps)]);
  }

  const Trace& trace_;
  const WaitStates& states_;
  const Steps& steps_;
  SerialTime serial_;
  std::uint32_t per_group_ = 1;
  std::vector<Sum> sums_;
  std::vector<std::vector<std::size_t>> group_of_gap_;  // by location
};

}  // namespace

std::vector<Characteristics> characteristics(const Trace& trace, const SyncPoints& sync,
                                             const WaitStates& states, const Steps& steps,
                                             std::uint32_t most_groups) {
  Summing summing(trace, states, steps, most_groups);
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank)
    summing.add_rank(trace.main_location(Rank(static_cast<std::int32_t>(rank))));
  for_each_desynchronised(trace, sync, [&](OpRef call, Duration before, Duration after) {
    summing.add_desynchronised(call, before, after);
  });
  return summing.result();
}

}  // namespace waitdiag
