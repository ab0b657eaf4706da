// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/characteristics/characteristics.hpp"

#include <algorithm>

#include "analyzer/characteristics/desynchronisation.hpp"
#include "analyzer/characteristics/operation_classes.hpp"
#include "analyzer/characteristics/serial_time.hpp"
#include "analyzer/model/mpi_calls.hpp"

namespace waitdiag {
namespace {

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
        parts_(steps, most_groups),
        serial_(trace),
        mpi_(trace),
        group_of_gap_(trace.timelines().size()) {
    for (const Part& part : parts_.rows()) sums_.push_back({.row = {.part = part}});
  }

  void add_rank(Location location) {
    const Timeline& timeline = trace_.timeline(location);
    const std::vector<bool> overlaps = gaps_with_overlap(timeline);
    const auto waits = states_.waits_of(location);
    auto wait = waits.begin();
    parts_.for_each_part(trace_, location, [&](const GapPart& part, std::size_t group) {
      Sum here{.begin = part.begin, .end = part.end};
      here.row.productive = part.length();
      if (overlaps[part.gap]) here.row.overlap = part.length();
      if (part.last) group_of_gap_[index(location)].push_back(group);
      if (const std::uint32_t op = part.gap; part.last && op < timeline.size()) {
        const bool counts = mpi_.contains({location, op});
        here.end = timeline.leave(op);
        (counts ? here.row.communication : here.row.productive) += timeline.length(op);
        Time after = timeline.enter(op);  // the waits before it in this call
        for (; wait != waits.end() && wait->victim.op == op; ++wait)
          if (counts) after = add_wait(*wait, after, here.row);
      }
      Parts::for_each_row(group, [&](std::size_t row) { add(here, sums_[row]); });
    });
  }

  void add_desynchronised(OpRef call, Duration before, Duration after) {
    if (call.op >= group_of_gap_[index(call.location)].size()) return;
    Parts::for_each_row(group_of_gap_[index(call.location)][call.op], [&](std::size_t row) {
      sums_[row].row.desynchronised_before += before;
      sums_[row].row.desynchronised_after += after;
    });
  }

  std::vector<Characteristics> result() {
    std::vector<Characteristics> rows;
    for (Sum& sum : sums_) {
      if (sum.end <= sum.begin) continue;
      Characteristics& row = sum.row;
      row.time = sum.end - sum.begin;
      row.processor_time = of_all_ranks(row.time);
      row.idle = row.lost() - row.communication - row.insufficient_parallelism;
      rows.push_back(row);
    }
    return rows;
  }

 private:
  // At most what a duration holds, which is 292 years.
  Duration of_all_ranks(Duration time) const {
    std::int64_t product = 0;
    const bool too_long = __builtin_mul_overflow(time.count(), trace_.ranks(), &product);
    return too_long ? Duration::max() : Duration(product);
  }

  // Waits of one call follow each other (Early Reduce, Late Reduce); for progress it waits from when the
  // target left MPI. Returns the wait's end.
  Time add_wait(const WaitState& wait, Time after, Characteristics& row) const {
    const bool for_progress = &pattern(wait.pattern) == &wait_for_progress;
    const Time begin = for_progress ? trace_.enter(wait.cause) - wait.wait : after;
    row.communication -= wait.wait;
    row.insufficient_parallelism += serial_.between(begin, begin + wait.wait);
    return begin + wait.wait;
  }

  static void add(const Sum& part, Sum& sum) {
    sum.begin = std::min(sum.begin, part.begin);
    sum.end = std::max(sum.end, part.end);
    sum.row.productive += part.row.productive;
    sum.row.overlap += part.row.overlap;
    sum.row.communication += part.row.communication;
    sum.row.insufficient_parallelism += part.row.insufficient_parallelism;
  }

  const Trace& trace_;
  const WaitStates& states_;
  Parts parts_;
  SerialTime serial_;
  MpiCalls mpi_;
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
