// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/report_rows.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace waitdiag {
namespace {

Report::MessageCount count_of(const MessageProfile::SizeInterval& interval, Layer layer) {
  const MessageCount& count = interval.by_layer[static_cast<std::size_t>(layer)];
  return {count.messages, count.bytes};
}

Report::FileAccess file_row(const std::string& call_path, const FileUse::Sum& sum) {
  return {call_path, sum.calls, seconds(sum.time), sum.read_bytes, sum.written_bytes};
}

}  // namespace

void add_messages(const Trace& trace, const MessageProfile& profile, Report& report) {
  for (const MessageProfile::SizeInterval& interval : profile.sizes) {
    Report::MessageSizes& row = report.message_sizes.emplace_back();
    row.above_bytes = interval.above_bytes;
    if (interval.up_to_bytes != std::numeric_limits<std::uint64_t>::max())
      row.up_to_bytes = interval.up_to_bytes;
    row.same_chip = count_of(interval, Layer::SameChip);
    row.same_node = count_of(interval, Layer::SameNode);
    row.other_node = count_of(interval, Layer::OtherNode);
    row.unknown_layer = count_of(interval, Layer::Unknown);
  }
  for (const MessageProfile::Pair& pair : profile.pairs)
    report.message_pairs.push_back({static_cast<std::int64_t>(pair.from), static_cast<std::int64_t>(pair.to),
                                    pair.count.messages, pair.count.bytes});
  for (const MessageProfile::OnCommunicator& use : profile.communicators) {
    const Communicator& communicator = trace.communicator(use.comm);
    report.communicators.push_back(
        {communicator.name, communicator.members.size() + communicator.remote_members.size(),
         use.count.messages, use.count.bytes, use.collectives, use.collective_bytes,
         seconds(use.collective_time), seconds(use.waiting)});
  }
}

void add_resources(const ResourceUse& use, Report& report) {
  report.resources_column_s = seconds(use.column);
  for (const ResourceUse::OfRank& row : use.ranks) {
    report.rank_resources.push_back({static_cast<std::int64_t>(row.rank), row.processors, row.most_resident,
                                     row.processors_over_time, row.resident_over_time});
    if (row.faults)
      report.rank_resources.back().faults =
          Report::RankResources::Faults{row.faults->minor, row.faults->major, row.faults->migrations};
    constexpr double kDigits = 1e4;  // processor time is not read more exactly
    for (std::optional<double>& processors : report.rank_resources.back().processors_over_time)
      if (processors) processors = std::round(*processors * kDigits) / kDigits;
  }
  for (const ResourceUse::OfNode& row : use.nodes)
    report.node_resources.push_back({row.node, row.processors, row.runnable, row.most_runnable,
                                     row.stolen ? std::optional(seconds(*row.stolen)) : std::nullopt,
                                     row.stolen_share, row.busy_with_others});
}

void add_files(const Trace& trace, const FileUse& use, Report& report) {
  if (use.all.calls == 0) return;
  Report::Files files{.all = file_row("", use.all), .by_call_path = {}};
  for (const FileUse::OfCallPath& row : use.call_paths)
    files.by_call_path.push_back(file_row(trace.call_path_name(row.call_path), row.sum));
  report.files = std::move(files);
}

}  // namespace waitdiag
