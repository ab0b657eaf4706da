// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/report_rows.hpp"

#include <vector>

#include "analyzer/trace/model/number_property.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

std::optional<double> cost_of_one(const Trace& trace, const char* property) {
  const auto nanoseconds = number_property(trace, property);
  if (!nanoseconds || *nanoseconds <= 0) return std::nullopt;
  return static_cast<double>(*nanoseconds) * 1e-9;
}

// By call path.
std::vector<bool> flushes(const Trace& trace) {
  std::vector<bool> is_flush(trace.call_paths().size());
  for (std::size_t path = 0; path < is_flush.size(); ++path)
    is_flush[path] = trace.region(CallPathId(path)).name == kFlushRegion;
  return is_flush;
}

Duration flush_time(const Timeline& timeline, const std::vector<bool>& is_flush) {
  Duration time{};
  for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
    for (const ComputationPiece& piece : timeline.pieces(gap)) {
      if (piece.call_path != kNoCallPath && is_flush[index(piece.call_path)]) time += piece.time;
    }
  }
  return time;
}

}  // namespace

std::optional<Report::Recording> recording_cost(const Trace& trace) {
  const std::optional<double> call = cost_of_one(trace, waitprof::schema::kCallCost);
  if (!call) return std::nullopt;
  const double poll = cost_of_one(trace, waitprof::schema::kPollCost).value_or(*call);
  Report::Recording recording{.call_s = *call,
                              .poll_s = poll,
                              .start_s = cost_of_one(trace, waitprof::schema::kStartCost).value_or(0),
                              .end_s = cost_of_one(trace, waitprof::schema::kEndCost).value_or(0),
                              .ranks = {}};
  const std::optional<double> start = cost_of_one(trace, waitprof::schema::kStartRan);
  recording.ends_ran_s = start.value_or(recording.start_s) +
                         cost_of_one(trace, waitprof::schema::kEndRan).value_or(recording.end_s);
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank)
    recording.ranks.push_back({.rank = static_cast<std::int64_t>(rank)});
  const std::vector<bool> is_flush = flushes(trace);
  for (std::size_t location = 0; location < trace.timelines().size(); ++location) {
    const Timeline& timeline = trace.timelines()[location];
    Report::Recording::OfRank& row = recording.ranks[index(trace.rank(Location(location)))];
    row.calls += timeline.size();
    row.flush_s += seconds(flush_time(timeline, is_flush));
  }
  for (Report::Recording::OfRank& row : recording.ranks) {
    const LocationInfo& info = trace.place_of(Rank(row.rank));
    row.failed_polls = info.failed_polls;
    row.path_s = static_cast<double>(info.path_walks_ns) * 1e-9;
    row.upkeep_s = static_cast<double>(info.upkeep_ns) * 1e-9;
    row.total_s = static_cast<double>(row.calls) * *call + static_cast<double>(row.failed_polls) * poll +
                  row.path_s + row.upkeep_s + (start ? 0 : row.flush_s) + recording.ends_ran_s;
  }
  return recording;
}

}  // namespace waitdiag
