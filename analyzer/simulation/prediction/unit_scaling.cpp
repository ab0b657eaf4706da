// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/prediction/unit_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "analyzer/diagnosis/activities/activities.hpp"
#include "analyzer/diagnosis/activities/call_tree_paths.hpp"
#include "analyzer/diagnosis/resources/core_shares.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

struct UnitSum {
  double nanoseconds = 0;
  std::uint64_t executions = 0, stretches = 0, samples = 0;
};

std::string unit_name(const Trace& trace, const Activities& activities, std::size_t slot) {
  const CallPathId path = activities.call_path(slot);
  return path == kNoCallPath ? "outside known functions" : trace.call_path_name(path);
}

// By slot.
std::vector<UnitSum> unit_sums(const Trace& trace, const Activities& activities,
                               const std::vector<double>& of_rank) {
  std::vector<UnitSum> sums(activities.slots());
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    const double factor = of_rank.empty() ? 1 : of_rank[index(trace.rank(Location(l)))];
    for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
      for (const ComputationPiece& piece : timeline.pieces(gap))
        if (piece.call_path != kNoCallPath) sums[activities.slot(piece.call_path)].executions += piece.visits;
      for (const ComputationSample& sample : timeline.samples(gap))
        ++sums[activities.slot(sample.call_path)].samples;
      activities.for_each_in_gap(Location(l), gap, [&](ActivityId activity, Duration time) {
        const double length = factor * static_cast<double>(time.count());
        if (activities.is_exact(activity)) {
          sums[index(activity)].nanoseconds += length;
          return;
        }
        for (const Share& share : activities.shares(activity)) {
          UnitSum& sum = sums[activities.slot(share.call_path)];
          sum.nanoseconds += length * share.share();
          if (share.share() > 0 && time.count() > 0) ++sum.stretches;
        }
      });
    }
  }
  return sums;
}

std::string machine_of(const Trace& trace) {
  std::set<std::string> nodes;
  for (const LocationInfo& location : trace.locations())
    if (!location.node.empty()) nodes.insert(location.node);
  if (nodes.empty()) return "";
  return nodes.size() == 1 ? *nodes.begin() : fmt::format("{} and {} more", *nodes.begin(), nodes.size() - 1);
}

double mean_share(const std::vector<CoreShare>& shares) {
  double weighted = 0, all = 0;
  for (const CoreShare& rank : shares) {
    const auto time = static_cast<double>(rank.computation.count());
    weighted += rank.share * time;
    all += time;
  }
  return all > 0 ? weighted / all : 1;
}

// The unit of the other run with this name, with the longest end of this name, or the only one whose name
// ends with this name.
const UnitTimes::CallPath* counterpart(const std::string& name, const UnitTimes& there) {
  const UnitTimes::CallPath *shorter = nullptr, *longer = nullptr;
  std::size_t longer_ones = 0;
  for (const UnitTimes::CallPath& other : there.call_paths) {
    if (other.name == name) return &other;
    if (is_end_of_path(other.name, name) && (shorter == nullptr || other.name.size() > shorter->name.size()))
      shorter = &other;
    if (!is_end_of_path(name, other.name)) continue;
    longer = &other;
    ++longer_ones;
  }
  if (shorter != nullptr) return shorter;
  return longer_ones == 1 ? longer : nullptr;
}

bool is_certain(const UnitTimes::CallPath& unit) {
  constexpr std::uint64_t kFewSamples = 10;  // the error is a third
  const bool few = unit.unit == UnitTimes::Unit::Stretch && unit.samples > 0 && unit.samples < kFewSamples;
  return unit.count > 0 && !few;
}

using UnitRow = PredictionReport::UnitTimes::CallPath;

UnitRow compared(const UnitTimes::CallPath& here, const UnitTimes& there) {
  UnitRow row{.call_path = here.name, .count = here.count, .seconds = here.seconds, .share = here.share};
  const UnitTimes::CallPath* const other = counterpart(here.name, there);
  if (other == nullptr) return row;
  row.other_seconds = other->seconds;
  row.factor = other->seconds / here.seconds;
  const bool usable = is_certain(here) && is_certain(*other) && here.unit == other->unit &&
                      std::isfinite(row.factor) && row.factor > 0;
  row.match = usable ? UnitRow::Match::Common : UnitRow::Match::Uncertain;
  return row;
}

bool is_counted_alike(const UnitRow& row, const UnitTimes& here, const UnitTimes& there) {
  constexpr double kMuch = 2;
  const double mine = static_cast<double>(row.count) / here.ranks;
  const double other = static_cast<double>(counterpart(row.call_path, there)->count) / there.ranks;
  return mine <= kMuch * other && other <= kMuch * mine;
}

void note_rows(const UnitTimes& here, const UnitTimes& there, const PredictionReport::UnitTimes& result,
               double computation_ns, Approximations& notes) {
  const auto note = [&](const char* id, const std::string& text,
                        const std::function<bool(const UnitRow&)>& of) {
    std::uint64_t count = 0;
    double share = 0;
    for (const UnitRow& row : result.call_paths) {
      if (!of(row)) continue;
      ++count;
      share += row.share;
    }
    notes.add(id, fmt::format("{} ({} of computation)", text, format_share(share)), count,
              Duration(std::llround(share * computation_ns)));
  };
  const std::string mean = fmt::format("scaled by the mean factor {:.3g}", result.mean_factor);
  note("unit_times_missing", "call paths without a unit time in " + result.file + ", " + mean,
       [](const UnitRow& row) { return row.match == UnitRow::Match::Missing; });
  note("unit_times_uncertain",
       "call paths whose unit times do not compare (never counted, counted differently, fewer than 10 "
       "samples, or no time), " +
           mean,
       [](const UnitRow& row) { return row.match == UnitRow::Match::Uncertain; });
  note("unit_counts",
       "call paths that a rank visits more than twice, or less than half, as often as in the run of " +
           result.file + ": one visit is taken to be the same work",
       [&](const UnitRow& row) {
         return row.match == UnitRow::Match::Common && !is_counted_alike(row, here, there);
       });
}

}  // namespace

ComputationFactors unloaded(const Trace& trace) {
  const std::vector<CoreShare> shares = core_shares(trace);
  ComputationFactors factors;
  factors.of_rank.assign(trace.ranks(), 1);
  factors.utilisation = mean_share(shares);
  const auto note = [&](CoreShare::Kind kind, const char* id, const char* why) {
    std::vector<std::int64_t> ranks;
    Duration time{};
    double least = 1, most = 0;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
      if (shares[rank].kind != kind) continue;
      ranks.push_back(static_cast<std::int64_t>(rank));
      time += shares[rank].computation;
      least = std::min(least, shares[rank].share);
      most = std::max(most, shares[rank].share);
      if (kind == CoreShare::Kind::Loaded || kind == CoreShare::Kind::Node)
        factors.of_rank[rank] = shares[rank].share;
    }
    if (ranks.empty()) return;
    const std::string low = format_share(least), high = format_share(most);
    const std::string of_core = kind == CoreShare::Kind::Unknown ? ""
                                : low == high                    ? " had " + low + " of a core"
                                              : " had " + low + " to " + high + " of a core";
    const std::string who = (ranks.size() == 1 ? "rank " : "ranks ") + format_ranks(ranks);
    factors.notes.add(id, who + of_core + why, ranks.size(), time);
  };
  note(CoreShare::Kind::Loaded, "loaded", " while computing, on a loaded node; times corrected");
  note(CoreShare::Kind::Node, "load_of_node",
       " while computing if they had the mean of the ranks of their nodes, which were loaded (no readings of "
       "their own, or several threads); times corrected");
  note(CoreShare::Kind::Own, "not_computing",
       " while computing though their nodes had room (they slept, waited for a disk, or are bound to a busy "
       "core); times not corrected");
  note(CoreShare::Kind::Unknown, "load_unknown",
       ": the share of a core while computing is not known (no readings, or several threads); times not "
       "corrected");
  return factors;
}

UnitTimes measure_unit_times(const Trace& trace, const ComputationFactors& factors) {
  const Activities activities(trace);
  const std::vector<UnitSum> sums = unit_sums(trace, activities, factors.of_rank);
  std::map<std::string, UnitSum> by_name;
  double all = 0;
  for (std::size_t slot = 0; slot < sums.size(); ++slot) {
    if (sums[slot].nanoseconds <= 0) continue;
    UnitSum& sum = by_name[unit_name(trace, activities, slot)];
    sum.nanoseconds += sums[slot].nanoseconds;
    sum.executions += sums[slot].executions;
    sum.stretches += sums[slot].stretches;
    sum.samples += sums[slot].samples;
    all += sums[slot].nanoseconds;
  }
  UnitTimes times{.program = trace.facts().program,
                  .machine = machine_of(trace),
                  .ranks = static_cast<std::uint32_t>(trace.ranks()),
                  .utilisation = factors.utilisation,
                  .as_recorded = factors.of_rank.empty()};
  for (const auto& [name, sum] : by_name) {
    const bool sampled = sum.executions == 0 && sum.stretches > 0;
    const std::uint64_t count = sampled ? sum.stretches : sum.executions;
    times.call_paths.push_back(
        {.name = name,
         .unit = sampled ? UnitTimes::Unit::Stretch : UnitTimes::Unit::Execution,
         .count = count,
         .samples = sampled ? sum.samples : 0,
         .seconds = sum.nanoseconds * 1e-9 / std::max<double>(1, static_cast<double>(count)),
         .share = sum.nanoseconds / all});
  }
  std::ranges::stable_sort(times.call_paths, std::greater<>(), &UnitTimes::CallPath::share);
  return times;
}

PredictionReport::UnitTimes scale_by_unit_times(const Trace& trace, const UnitTimes& there,
                                                const std::string& file, ComputationFactors& factors) {
  const UnitTimes here = measure_unit_times(trace, factors);
  PredictionReport::UnitTimes result{
      .file = file, .program = there.program, .machine = there.machine, .ranks = there.ranks};
  double common = 0, scaled = 0, all_ns = 0;
  for (const UnitTimes::CallPath& unit : here.call_paths) {
    result.call_paths.push_back(compared(unit, there));
    const UnitRow& row = result.call_paths.back();
    all_ns += unit.seconds * 1e9 * std::max<double>(1, static_cast<double>(unit.count));
    if (row.match != UnitRow::Match::Common) {
      result.unmatched_share += row.share;
      continue;
    }
    common += row.share;
    scaled += row.share * row.factor;
  }
  if (common <= 0)
    throw TraceError(
        fmt::format("{}: none of its call paths, such as {}, has a unit time that compares with one of this "
                    "run{}; write it "
                    "with --write-unit-times from a run of the same program, recorded alike",
                    file, there.call_paths.front().name,
                    here.call_paths.empty() ? "" : ", such as " + here.call_paths.front().name));
  result.mean_factor = scaled / common;
  std::map<std::string, double> by_name;
  for (UnitRow& row : result.call_paths) {
    if (row.match != UnitRow::Match::Common) row.factor = result.mean_factor;
    by_name[row.call_path] = row.factor;
  }
  const Activities activities(trace);
  factors.of_slot.assign(activities.slots(), result.mean_factor);
  for (std::size_t slot = 0; slot < activities.slots(); ++slot)
    if (const auto found = by_name.find(unit_name(trace, activities, slot)); found != by_name.end())
      factors.of_slot[slot] = found->second;
  note_rows(here, there, result, all_ns, factors.notes);
  if (there.as_recorded != here.as_recorded)
    factors.notes.add("unit_times_correction",
                      there.as_recorded ? file +
                                              " has times as recorded; those of this run are corrected for "
                                              "loaded nodes"
                                        : file +
                                              " has times corrected for loaded nodes; those of this run "
                                              "are as recorded",
                      1, {});
  return result;
}

}  // namespace waitdiag
