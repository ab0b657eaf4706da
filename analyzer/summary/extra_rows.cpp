// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/extra_rows.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "analyzer/diagnosis/characteristics/characteristics.hpp"
#include "analyzer/diagnosis/characteristics/message_profile.hpp"
#include "analyzer/diagnosis/characteristics/operation_classes.hpp"
#include "analyzer/diagnosis/efficiency/part_efficiency.hpp"
#include "analyzer/diagnosis/resources/file_use.hpp"
#include "analyzer/summary/table_size.hpp"

namespace waitdiag {
namespace {

Report::MessageCount count_of(const MessageProfile::SizeInterval& interval, Layer layer) {
  const MessageCount& count = interval.by_layer[static_cast<std::size_t>(layer)];
  return {count.messages, count.bytes};
}

Report::FileAccess file_row(const std::string& call_path, const FileUse::Sum& sum) {
  return {call_path, sum.calls, seconds(sum.time), sum.read_bytes, sum.written_bytes};
}

std::string region_name(const Trace& trace, const Part& part) {
  return part.kind == Part::Kind::Region ? trace.region(part.region).name : "";
}

std::string part_label(const Trace& trace, const Steps& steps, const Part& row) {
  switch (row.kind) {
    case Part::Kind::Run:
      return "run";
    case Part::Kind::BeforeSteps:
      return "before the steps";
    case Part::Kind::Steps:
      return "all steps";
    case Part::Kind::AfterSteps:
      return "after the steps";
    case Part::Kind::Region:
      return "in " + trace.region(row.region).name;
    default:
      return row.first_step == row.last_step ? "step " + std::to_string(steps.number(row.first_step))
                                             : "steps " + std::to_string(steps.number(row.first_step)) + "-" +
                                                   std::to_string(steps.number(row.last_step));
  }
}

}  // namespace

Report::Efficiency efficiency_row(const EfficiencyTree& tree, const char* method) {
  return {tree.parallel, tree.load_balance, tree.communication, tree.serialisation, tree.transfer, method};
}

void add_messages(const Trace& trace, const SyncPoints& sync, const WaitStates& states, Report& report) {
  const MessageProfile profile = message_profile(trace, sync, states);
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
    constexpr double kDigits = 1e4;  // processor time is not read more exactly
    for (std::optional<double>& processors : report.rank_resources.back().processors_over_time)
      if (processors) processors = std::round(*processors * kDigits) / kDigits;
  }
  for (const ResourceUse::OfNode& row : use.nodes)
    report.node_resources.push_back({row.node, row.processors, row.runnable, row.most_runnable});
}

void add_files(const Trace& trace, Report& report) {
  const FileUse use = file_use(trace);
  if (use.all.calls == 0) return;
  Report::Files files{.all = file_row("", use.all), .by_call_path = {}};
  for (const FileUse::OfCallPath& row : use.call_paths)
    files.by_call_path.push_back(file_row(trace.call_path_name(row.call_path), row.sum));
  report.files = std::move(files);
}

void add_efficiency_by_part(const Trace& trace, const Results& results, Report& report) {
  const auto most = static_cast<std::uint32_t>(columns_over_time(trace));
  const Steps& steps = results.steps;
  std::vector<PartEfficiency> rows = efficiency_by_part(trace, results.states, steps, most);
  add_critical_path(results.parts, results.what_if, rows);
  for (const PartEfficiency& row : rows) {
    if (steps.count() == 0 && row.part.kind == Part::Kind::BeforeSteps) continue;  // it is the run
    Report::PartEfficiency entry{.part = part_label(trace, steps, row.part),
                                 .time_s = seconds(row.time),
                                 .computation_s = seconds(row.totals.computation()),
                                 .mpi_s = seconds(row.totals.mpi),
                                 .waiting_s = seconds(row.totals.waiting),
                                 .tree = efficiency_row(row.tree, "waits"),
                                 .on_path = efficiency_row(row.on_path, "critical_path"),
                                 .path_s = seconds(row.path_time)};
    if (row.part.kind == Part::Kind::SomeSteps) {
      entry.first_step = steps.number(row.part.first_step);
      entry.last_step = steps.number(row.part.last_step);
    }
    entry.region = region_name(trace, row.part);
    report.efficiency_by_part.push_back(std::move(entry));
  }
  if (report.efficiency_by_part.size() == 1) report.efficiency_by_part.clear();  // it is the run
}

void add_characteristics(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                         const Steps& steps, Report& report) {
  constexpr std::uint32_t kMostGroups = 10;
  for (const Characteristics& row : characteristics(trace, sync, states, steps, kMostGroups)) {
    if (steps.count() == 0 && row.part.kind == Part::Kind::BeforeSteps) continue;  // it is the run
    const double all = seconds(row.processor_time);
    report.characteristics.push_back(
        {part_label(trace, steps, row.part), region_name(trace, row.part), seconds(row.time),
         seconds(row.productive) / all, all, seconds(row.productive), seconds(row.lost()),
         seconds(row.communication), seconds(row.insufficient_parallelism), seconds(row.idle),
         seconds(row.desynchronised_before), seconds(row.desynchronised_after), seconds(row.overlap)});
  }
  for (const OperationClass& entry : operation_classes(trace, sync, states))
    report.operation_classes.push_back({std::string(entry.id), entry.count, seconds(entry.time),
                                        seconds(entry.waiting), seconds(entry.desynchronised_before),
                                        seconds(entry.desynchronised_after), seconds(entry.overlap)});
}

}  // namespace waitdiag
