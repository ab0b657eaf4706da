// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/resources/resource_use.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

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

// Between two readings, what is added up is assumed to grow evenly. `time` lies between the first and the last.
template <typename Sum>
double sum_at(const Readings& readings, Time time, Sum sum) {
  const auto after = std::partition_point(
      readings.begin(), readings.end(), [time](const UsageReading& reading) { return reading.time < time; });
  const auto end = static_cast<double>(sum(*after).count());
  if (after == readings.begin() || after->time == time) return end;
  const auto before = after - 1;
  return end - per_time(sum(*after) - sum(*before), after->time - before->time) *
                   static_cast<double>((after->time - time).count());
}

double processor_time_at(const Readings& readings, Time time) {
  return sum_at(readings, time, [](const UsageReading& reading) { return reading.processor_time; });
}

// Of a node, by its ranks: while all of them tell, its processors were busy for so long, and with others than these.
// Nothing if there is no such time, or one does not tell.
std::optional<double> busy_with_others(const std::vector<const Readings*>& ranks) {
  const auto tells = [](const UsageReading& reading) { return reading.node_busy.has_value(); };
  Time from = Time::min(), to = Time::max();
  for (const Readings* const readings : ranks) {
    if (!std::ranges::all_of(*readings, tells)) return std::nullopt;
    from = std::max(from, readings->front().time);
    to = std::min(to, readings->back().time);
  }
  if (from >= to) return std::nullopt;
  const auto node_busy = [](const UsageReading& reading) { return *reading.node_busy; };
  const Readings& one = *ranks.front();
  double busy = sum_at(one, to, node_busy) - sum_at(one, from, node_busy);
  for (const Readings* const readings : ranks)
    busy -= processor_time_at(*readings, to) - processor_time_at(*readings, from);
  return std::max(0.0, busy / static_cast<double>((to - from).count()));
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
    std::vector<const Readings*> ranks{};
    ResourceUse::OfNode node{};
  };
  std::map<std::string, Sum> nodes;
  std::set<std::string> silent;  // not all ranks tell how busy they were
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
    sum.ranks.push_back(&readings);
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
    if (!silent.contains(name)) sum.node.busy_with_others = busy_with_others(sum.ranks);
    use.nodes.push_back(sum.node);
  }
  return use;
}

}  // namespace waitdiag
