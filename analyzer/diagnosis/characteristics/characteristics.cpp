// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/characteristics/characteristics.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "analyzer/diagnosis/characteristics/desynchronisation.hpp"
#include "analyzer/diagnosis/characteristics/operation_classes.hpp"
#include "analyzer/diagnosis/characteristics/serial_time.hpp"
#include "analyzer/diagnosis/efficiency/efficiency.hpp"
#include "analyzer/trace/model/mpi_calls.hpp"

namespace waitdiag {
namespace {

// One row while it is being summed.
struct Sum {
  Characteristics row{};
  Time begin = Time::max(), end = Time::min();
};

// One user region.
struct RegionSum {
  Characteristics row{};
  std::vector<std::pair<Time, Time>> executions{};  // of all ranks
  std::size_t ranks = 0;                            // that entered it
};

// How long at least one of these is active.
Duration length_of_all(std::vector<std::pair<Time, Time>> executions) {
  std::ranges::sort(executions);
  Duration length{};
  Time covered = Time::min();
  for (const auto& [begin, end] : executions) {
    if (end <= covered) continue;
    length += end - std::max(begin, covered);
    covered = end;
  }
  return length;
}

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
    ++ranks_;
    auto waits = states_.waits_of(location);
    parts_.for_each_part(trace_, location, [&](const GapPart& part, std::size_t group) {
      Sum here{.begin = part.begin, .end = part.end};
      add_gap(part.length(), overlaps[part.gap], here.row);
      if (part.last) group_of_gap_[index(location)].push_back(group);
      if (const std::uint32_t op = part.gap; part.last && op < timeline.size()) {
        here.end = timeline.leave(op);
        add_operation({location, op}, waits, here.row);
      }
      Parts::for_each_row(group, [&](std::size_t row) { add(here, sums_[row]); });
    });
    add_regions(location, overlaps);
  }

  void add_desynchronised(OpRef call, Duration before, Duration after) {
    const auto add_to = [&](Characteristics& row) {
      row.desynchronised_before = sum_of(row.desynchronised_before, before);
      row.desynchronised_after = sum_of(row.desynchronised_after, after);
    };
    if (RegionSum* region = region_of(call)) add_to(region->row);
    if (call.op >= group_of_gap_[index(call.location)].size()) return;
    Parts::for_each_row(group_of_gap_[index(call.location)][call.op],
                        [&](std::size_t row) { add_to(sums_[row].row); });
  }

  std::vector<Characteristics> result() {
    std::vector<Characteristics> rows;
    for (Sum& sum : sums_) {
      if (sum.end <= sum.begin) continue;
      rows.push_back(complete(sum.row, sum.end - sum.begin));
    }
    std::multimap<Time, const RegionSum*> in_all;  // by the first time it was entered
    for (const auto& [region, sum] : regions_)
      if (sum.ranks == ranks_) in_all.emplace(std::ranges::min(sum.executions).first, &sum);
    for (const auto& [first, sum] : in_all)
      if (const Duration time = length_of_all(sum->executions); time > Duration::zero())
        rows.push_back(complete(sum->row, time));
    return rows;
  }

 private:
  Characteristics complete(Characteristics row, Duration time) const {
    row.time = time;
    row.processor_time = of_all_ranks(time);
    row.idle = row.lost() - row.communication - row.insufficient_parallelism;
    return row;
  }

  static void add_gap(Duration length, bool overlaps, Characteristics& row) {
    row.productive += length;
    if (overlaps) row.overlap += length;
  }

  // `waits`: those of the location that are left; the waits of this and earlier operations are removed from
  // it.
  void add_operation(OpRef op, std::span<const WaitState>& waits, Characteristics& row) const {
    const bool counts = mpi_.contains(op);
    (counts ? row.communication : row.productive) += trace_.leave(op) - trace_.enter(op);
    Time after = trace_.enter(op);  // the end of the previous waits in this call
    for (; !waits.empty() && waits.front().victim.op <= op.op; waits = waits.subspan(1))
      if (counts && waits.front().victim.op == op.op) after = add_wait(waits.front(), after, row);
  }

  void add_regions(Location location, const std::vector<bool>& overlaps) {
    const Timeline& timeline = trace_.timeline(location);
    auto waits = states_.waits_of(location);
    std::set<RegionId> mine;
    std::uint32_t gap = 0;
    for (const UserRegion& region : timeline.user_regions()) {
      RegionSum& sum = regions_[region.region];
      sum.ranks += mine.insert(region.region).second;
      sum.row.part = {.kind = Part::Kind::Region, .region = region.region};
      sum.executions.emplace_back(region.begin, region.end);
      while (gap < timeline.size() && timeline.leave(gap) <= region.begin) ++gap;
      for (;; ++gap) {
        const Time begin = std::max(region.begin, timeline.gap_begin(gap));
        const Time end = std::min(region.end, timeline.gap_end(gap));
        if (begin < end) add_gap(end - begin, overlaps[gap], sum.row);
        if (gap == timeline.size() || timeline.leave(gap) > region.end) break;
        add_operation({location, gap}, waits, sum.row);
      }
    }
  }

  // The user region in which a call was made.
  RegionSum* region_of(OpRef call) {
    const auto& executions = trace_.timeline(call.location).user_regions();
    const auto next = std::ranges::upper_bound(executions, trace_.enter(call), {}, &UserRegion::begin);
    if (next == executions.begin() || trace_.leave(call) > std::prev(next)->end) return nullptr;
    const auto found = regions_.find(std::prev(next)->region);
    return found == regions_.end() ? nullptr : &found->second;
  }

  // Limited to what a duration holds, which is 292 years.
  Duration of_all_ranks(Duration time) const {
    std::int64_t product = 0;
    const bool too_long = __builtin_mul_overflow(time.count(), ranks_, &product);
    return too_long ? Duration::max() : Duration(product);
  }

  // Waits of one call follow each other (Early Reduce, Late Reduce); a wait for progress begins when the
  // target left MPI. Returns the wait's end.
  Time add_wait(const WaitState& wait, Time after, Characteristics& row) const {
    const bool for_progress = pattern(wait.pattern).waits_for == WaitsFor::Progress;
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
  std::size_t ranks_ = 0;  // that were added
  std::vector<Sum> sums_;
  std::map<RegionId, RegionSum> regions_;
  std::vector<std::vector<std::size_t>> group_of_gap_;  // by location
};

}  // namespace

std::vector<Characteristics> characteristics(const Trace& trace, const SyncPoints& sync,
                                             const WaitStates& states, const Steps& steps,
                                             std::uint32_t most_groups) {
  Summing summing(trace, states, steps, most_groups);
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const Location main = trace.main_location(Rank(static_cast<std::int32_t>(rank)));
    if (is_known(trace, main)) summing.add_rank(main);
  }
  for_each_desynchronised(trace, sync, [&](OpRef call, Duration before, Duration after) {
    summing.add_desynchronised(call, before, after);
  });
  return summing.result();
}

}  // namespace waitdiag
