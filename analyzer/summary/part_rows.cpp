// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/report_rows.hpp"

#include <utility>

namespace waitdiag {
namespace {

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

void add_efficiency_by_part(const Trace& trace, const Diagnosis& found, Report& report) {
  const Steps& steps = found.steps;
  for (const PartEfficiency& row : found.efficiency_by_part) {
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

void add_characteristics(const Trace& trace, const Diagnosis& found, Report& report) {
  const Steps& steps = found.steps;
  for (const Characteristics& row : found.characteristics) {
    if (steps.count() == 0 && row.part.kind == Part::Kind::BeforeSteps) continue;  // it is the run
    const double all = seconds(row.processor_time);
    report.characteristics.push_back(
        {part_label(trace, steps, row.part), region_name(trace, row.part), seconds(row.time),
         seconds(row.productive) / all, all, seconds(row.productive), seconds(row.lost()),
         seconds(row.communication), seconds(row.insufficient_parallelism), seconds(row.idle),
         seconds(row.desynchronised_before), seconds(row.desynchronised_after), seconds(row.overlap)});
  }
  for (const OperationClass& entry : found.operation_classes)
    report.operation_classes.push_back({std::string(entry.id), entry.count, seconds(entry.time),
                                        seconds(entry.waiting), seconds(entry.desynchronised_before),
                                        seconds(entry.desynchronised_after), seconds(entry.overlap)});
}

}  // namespace waitdiag
