// The call tree with its times, and how much each rank sent to each other.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include "analyzer/writers/page/encode.hpp"

namespace waitdiag {
namespace {

// A matrix of all ranks grows with their square: above this, neighbouring ranks share a row.
constexpr std::uint64_t kMatrixRows = 256;

struct PathTimes {
  std::vector<double> own, waiting, caused, longest;  // nanoseconds; longest: of any rank
  std::vector<std::uint64_t> visits;
  std::vector<std::int64_t> longest_rank;
};

PathTimes times_by_path(const Trace& trace, const Diagnosis& diagnosis) {
  const std::size_t paths = trace.call_paths().size();
  PathTimes times{std::vector<double>(paths),        std::vector<double>(paths),
                  std::vector<double>(paths),        std::vector<double>(paths),
                  std::vector<std::uint64_t>(paths), std::vector<std::int64_t>(paths)};
  for (const ProfileEntry& entry : diagnosis.by_call_path.profile.entries) {
    if (entry.call_path == kNoCallPath) continue;
    const std::size_t path = index(entry.call_path);
    times.own[path] += entry.nanoseconds;
    times.visits[path] += entry.visits;
    if (entry.nanoseconds <= times.longest[path]) continue;
    times.longest[path] = entry.nanoseconds;
    times.longest_rank[path] = static_cast<std::int64_t>(trace.rank(entry.location));
  }
  for (const WaitState& wait : diagnosis.states.waits) {
    const CallPathId path = trace.without_sites(trace.call_path(wait.victim));
    if (path != kNoCallPath && pattern(wait.pattern).waiting)
      times.waiting[index(path)] += static_cast<double>(wait.wait.count());
  }
  for (const DelayCost& cost : diagnosis.costs.costs) {
    if (cost.call_path == kNoCallPath) continue;
    for (const double part : cost.direct) times.caused[index(cost.call_path)] += part;
    for (const double part : cost.indirect) times.caused[index(cost.call_path)] += part;
  }
  return times;
}

}  // namespace

void encode_call_paths(const Trace& trace, const Diagnosis& diagnosis, Columns& columns) {
  Column parents, regions, own, waiting, caused, visits, longest, longest_rank;
  const PathTimes times = times_by_path(trace, diagnosis);
  const auto whole = [](double nanoseconds) { return static_cast<std::uint64_t>(std::llround(nanoseconds)); };
  for (std::size_t path = 0; path < trace.call_paths().size(); ++path) {
    const CallPathNode& node = trace.call_paths()[path];
    parents.add(node.parent == kNoCallPath ? 0 : index(node.parent) + 1);
    regions.add(index(node.region));
    own.add(whole(times.own[path]));
    waiting.add(whole(times.waiting[path]));
    caused.add(whole(times.caused[path]));
    visits.add(times.visits[path]);
    longest.add(whole(times.longest[path]));
    longest_rank.add(static_cast<std::uint64_t>(times.longest_rank[path]));
  }
  columns.add("call_parent", parents);
  columns.add("call_region", regions);
  columns.add("call_ns", own);
  columns.add("call_waiting_ns", waiting);
  columns.add("call_caused_ns", caused);
  columns.add("call_visits", visits);
  columns.add("call_longest_ns", longest);
  columns.add("call_longest_rank", longest_rank);
}

void encode_message_matrix(const Report& report, std::uint64_t ranks, Columns& columns) {
  const std::uint64_t per_row = std::max<std::uint64_t>(1, (ranks + kMatrixRows - 1) / kMatrixRows);
  const std::uint64_t rows = (ranks + per_row - 1) / per_row;
  std::vector<Report::MessageCount> cells(rows * rows);
  for (const Report::MessagePair& pair : report.message_pairs) {
    Report::MessageCount& cell = cells[static_cast<std::uint64_t>(pair.from) / per_row * rows +
                                       static_cast<std::uint64_t>(pair.to) / per_row];
    cell.messages += pair.messages;
    cell.bytes += pair.bytes;
  }
  Column shape, messages, bytes;
  shape.add(rows);
  shape.add(per_row);
  for (const Report::MessageCount& cell : cells) {
    messages.add(cell.messages);
    bytes.add(cell.bytes);
  }
  columns.add("matrix_shape", shape);
  columns.add("matrix_messages", messages);
  columns.add("matrix_bytes", bytes);
}

}  // namespace waitdiag
