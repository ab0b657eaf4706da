// Sections that are printed on request only: characteristics of the parts of a run, operations, messages.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "analyzer/report/numbers.hpp"
#include "analyzer/report/text_sections.hpp"
#include "analyzer/report/text_table.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kColumnWidth = 10;
constexpr double kNoticeable = 0.01;  // of the run: shorter regions are in JSON and CSV only

bool is_worse(const Report::PartEfficiency& a, const Report::PartEfficiency& b) {
  return a.tree.parallel < b.tree.parallel;
}

// Of single steps (or groups) only the best and the worst: JSON and CSV have all of them.
void print_efficiency_by_part(const Report& report, const TextOptions& options, std::ostream& out) {
  const std::vector<Report::PartEfficiency>& rows = report.efficiency_by_part;
  if (rows.empty()) return;
  const TextTable table(options.style, out,
                        {{"time", kColumnWidth},
                         {"parallel", kColumnWidth},
                         {"balance", kColumnWidth},
                         {"serial.", kColumnWidth},
                         {"transfer", kColumnWidth}},
                        {"", 0});
  const auto print = [&](const std::string& label, const Report::PartEfficiency& row) {
    table.row(
        "  " + label, "",
        {format_duration(row.time_s), format_share(row.tree.parallel), format_share(row.tree.load_balance),
         format_share(row.tree.serialisation), format_share(row.tree.transfer)},
        "");
  };
  out << '\n';
  table.heading("Efficiency by part");
  const auto is_step = [](const Report::PartEfficiency& row) { return row.first_step.has_value(); };
  const auto is_region = [](const Report::PartEfficiency& row) { return !row.region.empty(); };
  const auto first_region = std::find_if(rows.begin(), rows.end(), is_region);
  const auto first_step = std::find_if(rows.begin(), first_region, is_step);
  for (auto row = rows.begin(); row != first_step; ++row) print(row->part, *row);
  if (first_region - first_step > 1) {
    const auto [worst, best] = std::minmax_element(first_step, first_region, is_worse);
    print("worst: " + worst->part, *worst);
    print("best: " + best->part, *best);
  }
  for (auto row = first_region; row != rows.end(); ++row)
    if (row->time_s >= kNoticeable * rows.front().time_s) print(row->part, *row);
  table.note("Parallel = load balance x serialisation x transfer; time: of the rank that took longest.", 2);
}

void print_operations(const Report& report, const TextOptions& options, std::ostream& out) {
  const TextTable table(
      options.style, out,
      {{"calls", kColumnWidth}, {"time", kColumnWidth}, {"waiting", kColumnWidth}, {"apart", kColumnWidth}},
      {"", 0});
  out << '\n';
  table.heading("Operations");
  for (const Report::OperationClass& entry : report.operation_classes)
    table.row("  " + entry.id, "",
              {format_count(entry.count), format_duration(entry.time_s), format_duration(entry.waiting_s),
               format_duration(entry.desynchronised_before_s)},
              "");
  table.note("Apart: how much earlier than the last rank the others entered collective operations.", 2);
}

std::string size_label(const Report::MessageSizes& sizes) {
  if (sizes.up_to_bytes == 0) return "empty";
  if (!sizes.ends) return "above " + format_bytes(sizes.above_bytes);
  return "up to " + format_bytes(sizes.up_to_bytes);
}

void print_sizes(const Report& report, const TextOptions& options, std::ostream& out) {
  const TextTable table(options.style, out,
                        {{"messages", kColumnWidth},
                         {"share", kColumnWidth},
                         {"volume", kColumnWidth},
                         {"share", kColumnWidth},
                         {"same chip", kColumnWidth},
                         {"same node", kColumnWidth}},
                        {"", 0});
  out << '\n';
  std::uint64_t messages = 0, bytes = 0;
  for (const Report::MessageSizes& sizes : report.message_sizes) {
    messages += sizes.messages();
    bytes += sizes.bytes();
  }
  table.heading(fmt::format("Messages: {}, {}", format_count(messages), format_bytes(bytes)));
  for (const Report::MessageSizes& sizes : report.message_sizes) {
    const auto count = static_cast<double>(sizes.messages()), volume = static_cast<double>(sizes.bytes());
    table.row("  " + size_label(sizes), "",
              {format_count(sizes.messages()), format_share(share_of(count, static_cast<double>(messages))),
               format_bytes(sizes.bytes()), format_share(share_of(volume, static_cast<double>(bytes))),
               format_share(share_of(static_cast<double>(sizes.same_chip.messages), count)),
               format_share(share_of(static_cast<double>(sizes.same_node.messages), count))},
              "");
  }
}

void print_communicators(const Report& report, const TextOptions& options, std::ostream& out) {
  const TextTable table(options.style, out,
                        {{"ranks", kColumnWidth},
                         {"messages", kColumnWidth},
                         {"volume", kColumnWidth},
                         {"coll.", kColumnWidth},
                         {"waiting", kColumnWidth}},
                        {"", 0});
  out << '\n';
  table.heading("Communicators");
  for (const Report::CommunicatorUse& use : report.communicators)
    table.row("  " + use.name, "",
              {std::to_string(use.size), format_count(use.messages), format_bytes(use.bytes),
               format_count(use.collectives), format_duration(use.waiting_s)},
              "");
}

}  // namespace

void print_characteristics(const Report& report, const TextOptions& options, std::ostream& out) {
  if (report.characteristics.empty()) return;
  const TextTable table(options.style, out,
                        {{"time", kColumnWidth},
                         {"eff.", kColumnWidth},
                         {"lost", kColumnWidth},
                         {"comm.", kColumnWidth},
                         {"one rank", kColumnWidth},
                         {"idle", kColumnWidth}},
                        {"", 0});
  out << '\n';
  table.heading("Parts of the run");
  for (const Report::Characteristics& row : report.characteristics)
    table.row("  " + row.part, "",
              {format_duration(row.time_s), format_share(row.efficiency), format_duration(row.lost_s),
               format_duration(row.communication_s), format_duration(row.insufficient_parallelism_s),
               format_duration(row.idle_s)},
              "");
  table.note("Core time; lost = communication + waiting while one rank computed + idle.", 2);
  print_efficiency_by_part(report, options, out);
  print_operations(report, options, out);
}

void print_messages(const Report& report, const TextOptions& options, std::ostream& out) {
  if (!report.message_sizes.empty()) print_sizes(report, options, out);
  if (!report.communicators.empty()) print_communicators(report, options, out);
}

}  // namespace waitdiag
