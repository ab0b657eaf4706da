// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/resources/resource_use.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace waitdiag {
namespace {

using Readings = std::vector<UsageReading>;

// The readings of all threads of every rank, in time order.
std::vector<Readings> readings_by_rank(const Trace& trace) {
  std::vector<Readings> by_rank(trace.ranks());
  for (std::size_t i = 0; i < trace.timelines().size(); ++i) {
    Readings& readings = by_rank[index(trace.rank(Location(i)))];
    const auto& more = trace.timelines()[i].usage();
    readings.insert(readings.end(), more.begin(), more.end());
  }
  for (Readings& readings : by_rank) {
    std::stable_sort(readings.begin(), readings.end(),
                     [](const UsageReading& a, const UsageReading& b) { return a.time < b.time; });
  }
  return by_rank;
}

double per_time(Duration used, Duration time) {
  return static_cast<double>(used.count()) / static_cast<double>(time.count());
}

// Between two readings, processor time is assumed to grow evenly. `time` lies between the first and the last.
double processor_time_at(const Readings& readings, Time time) {
  const auto after = std::partition_point(
      readings.begin(), readings.end(), [time](const UsageReading& reading) { return reading.time < time; });
  const auto end = static_cast<double>(after->processor_time.count());
  if (after == readings.begin() || after->time == time) return end;
  const auto before = after - 1;
  return end - per_time(after->processor_time - before->processor_time, after->time - before->time) *
                   static_cast<double>((after->time - time).count());
}

void fill_columns(const Readings& readings, Time begin, Duration column, std::size_t columns,
                  ResourceUse::OfRank& row) {
  for (std::size_t c = 0; c < columns; ++c) {
    const Time column_begin = begin + static_cast<std::int64_t>(c) * column;
    const Time from = std::max(column_begin, readings.front().time);
    const Time to = std::min(column_begin + column, readings.back().time);
    row.processors_over_time.emplace_back();
    if (from < to) {
      row.processors_over_time.back() =
          (processor_time_at(readings, to) - processor_time_at(readings, from)) /
          static_cast<double>((to - from).count());
    }
    const auto later = std::partition_point(
        readings.begin(), readings.end(),
        [&](const UsageReading& reading) { return reading.time <= column_begin + column; });
    row.resident_over_time.emplace_back();
    if (later != readings.begin()) row.resident_over_time.back() = (later - 1)->resident;
  }
}

ResourceUse::OfRank use_of_rank(Rank rank, const Readings& readings) {
  ResourceUse::OfRank row{.rank = rank};
  row.processors = per_time(readings.back().processor_time - readings.front().processor_time,
                            readings.back().time - readings.front().time);
  const auto &first = readings.front().faults, &last = readings.back().faults;
  if (first && last)
    row.faults =
        Faults{last->minor - first->minor, last->major - first->major, last->migrations - first->migrations};
  for (const UsageReading& reading : readings)
    row.most_resident = std::max(row.most_resident, reading.resident);
  return row;
}

}  // namespace

ResourceUse resource_use(const Trace& trace, std::size_t columns) {
  ResourceUse use;
  const Duration run = trace.end() - trace.begin();
  use.column = std::max<Duration>(Duration{1}, (run + Duration(columns - 1)) / columns);
  struct Sum {
    std::uint64_t readings = 0, runnable = 0;
    Duration stolen_during{};  // the time in which it was stolen
    Duration busy{}, busy_during{};
    double busy_with_ranks = 0;
    ResourceUse::OfNode node{};
  };
  std::map<std::string, Sum> nodes;
  std::set<std::string> silent;  // not all ranks tell how busy the node was, and how much of it they were
  const std::vector<Readings> by_rank = readings_by_rank(trace);
  for (std::size_t r = 0; r < by_rank.size(); ++r) {
    const Readings& readings = by_rank[r];
    const LocationInfo& place = trace.place_of(Rank(r));
    if (readings.size() < 2 || readings.front().time == readings.back().time) {
      silent.insert(place.node);
      continue;
    }
    use.ranks.push_back(use_of_rank(Rank(r), readings));
    fill_columns(readings, trace.begin(), use.column, columns, use.ranks.back());
    Sum& sum = nodes[place.node];
    sum.node.node = place.node;
    sum.node.processors = std::max(sum.node.processors, place.node_processors);
    const auto &first = readings.front(), &last = readings.back();
    if (first.stolen && last.stolen &&
        (!sum.node.stolen || *last.stolen - *first.stolen > *sum.node.stolen)) {
      sum.node.stolen = *last.stolen - *first.stolen;
      sum.stolen_during = last.time - first.time;
    }
    sum.busy_with_ranks += use.ranks.back().processors;
    if (!first.node_busy || !last.node_busy)
      silent.insert(place.node);
    else if (last.time - first.time > sum.busy_during) {
      sum.busy = *last.node_busy - *first.node_busy;
      sum.busy_during = last.time - first.time;
    }
    for (const UsageReading& reading : readings) {
      ++sum.readings;
      sum.runnable += reading.runnable;
      sum.node.most_runnable = std::max(sum.node.most_runnable, reading.runnable);
    }
  }
  for (auto& [name, sum] : nodes) {
    sum.node.runnable = static_cast<double>(sum.runnable) / static_cast<double>(sum.readings);
    if (sum.node.stolen) {
      const double wanted =
          std::max(1.0, sum.node.processors > 0 ? std::min<double>(sum.node.processors, sum.node.runnable)
                                                : sum.node.runnable);
      sum.node.stolen_share = per_time(*sum.node.stolen, sum.stolen_during) / wanted;
    }
    if (!silent.contains(name))
      sum.node.busy_with_others = std::max(0.0, per_time(sum.busy, sum.busy_during) - sum.busy_with_ranks);
    use.nodes.push_back(sum.node);
  }
  return use;
}

}  // namespace waitdiag
