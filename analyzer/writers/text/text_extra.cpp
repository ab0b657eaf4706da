// Sections that are printed on request only: characteristics of the parts of a run, operations, messages.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "analyzer/wording/numbers.hpp"
#include "analyzer/writers/text/text_sections.hpp"
#include "analyzer/writers/text/text_table.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kColumnWidth = 10, kOfAllWidth = 7, kLayerWidth = 11;
constexpr double kNoticeable = 0.01;  // of the run: shorter regions are in JSON and CSV only

bool is_worse(const Report::PartEfficiency& a, const Report::PartEfficiency& b) {
  return a.tree.parallel < b.tree.parallel;
}

// Prints only the best and the worst of single steps (or groups): JSON and CSV have all of them.
void print_efficiency_by_part(const Report& report, const TextOptions& options, std::ostream& out) {
  const std::vector<Report::PartEfficiency>& rows = report.efficiency_by_part;
  if (rows.empty()) return;
  const TextTable table(options.style, out,
                        {{"time", kColumnWidth},
                         {"parallel", kColumnWidth},
                         {"balance", kColumnWidth},
                         {"serial.", kColumnWidth},
                         {"transfer", kColumnWidth},
                         {"path ser.", kColumnWidth},
                         {"path tr.", kColumnWidth}},
                        {"", 0});
  const auto print = [&](const std::string& label, const Report::PartEfficiency& row) {
    table.row(
        "  " + label, "",
        {format_duration(row.time_s), format_share(row.tree.parallel), format_share(row.tree.load_balance),
         format_share(row.tree.serialisation), format_share(row.tree.transfer),
         format_share(row.on_path.serialisation), format_share(row.on_path.transfer)},
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
  table.note(
      "Parallel = load balance x serialisation x transfer; path: the latter two by the critical path, on an "
      "ideal network; time: of the rank that took longest.",
      2);
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
  if (!sizes.up_to_bytes) return "above " + format_bytes(sizes.above_bytes);
  return "up to " + format_bytes(*sizes.up_to_bytes);
}

// Where the two ranks of a message are.
struct ShownLayer {
  const char* name;
  Report::MessageCount Report::MessageSizes::*of_size;
};
constexpr ShownLayer kShownLayers[] = {{"same chip", &Report::MessageSizes::same_chip},
                                       {"same node", &Report::MessageSizes::same_node},
                                       {"other node", &Report::MessageSizes::other_node},
                                       {"unplaced", &Report::MessageSizes::unknown_layer}};

Report::MessageCount messages_of_layer(const Report& report, const ShownLayer& layer) {
  Report::MessageCount sum;
  for (const Report::MessageSizes& sizes : report.message_sizes) {
    sum.messages += (sizes.*layer.of_size).messages;
    sum.bytes += (sizes.*layer.of_size).bytes;
  }
  return sum;
}

// By size, with the share of each that goes to each layer; then by layer. Layers without any message are left
// out.
void print_sizes(const Report& report, const TextOptions& options, std::ostream& out) {
  std::vector<TextColumn> columns = {
      {"messages", kColumnWidth}, {"share", kOfAllWidth}, {"volume", kColumnWidth}, {"share", kOfAllWidth}};
  std::vector<std::pair<ShownLayer, Report::MessageCount>> layers;
  Report::MessageCount all;
  for (const ShownLayer& layer : kShownLayers) {
    const Report::MessageCount sum = messages_of_layer(report, layer);
    if (sum.messages == 0) continue;
    layers.emplace_back(layer, sum);
    columns.push_back({layer.name, kLayerWidth});
    all.messages += sum.messages;
    all.bytes += sum.bytes;
  }
  const TextTable table(options.style, out, columns, {"", 0});
  const auto cells = [&all](const Report::MessageCount& count) {
    return std::vector<std::string>{
        format_count(count.messages),
        format_share(share_of(static_cast<double>(count.messages), static_cast<double>(all.messages))),
        format_bytes(count.bytes),
        format_share(share_of(static_cast<double>(count.bytes), static_cast<double>(all.bytes)))};
  };
  out << '\n';
  table.heading(fmt::format("Messages: {}, {}", format_count(all.messages), format_bytes(all.bytes)));
  for (const Report::MessageSizes& sizes : report.message_sizes) {
    std::vector<std::string> row = cells({sizes.messages(), sizes.bytes()});
    for (const auto& [layer, sum] : layers)
      row.push_back(format_share(share_of(static_cast<double>((sizes.*layer.of_size).messages),
                                          static_cast<double>(sizes.messages()))));
    table.row("  " + size_label(sizes), "", row, "");
  }
  for (const auto& [layer, sum] : layers) table.row("  " + std::string(layer.name), "", cells(sum), "");
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
  table.note("Waiting: in collective operations.", 2);
}

// Other ways to distinguish serialisation from transfer: the run re-timed, and replayed, on an ideal network.
void print_other_trees(const Report& report, const TextOptions& options, std::ostream& out) {
  const auto tree = [](const char* how, const Report::Efficiency& ideal) {
    return fmt::format("{} on an ideal network: serialisation {}, transfer {}. ", how,
                       format_share(ideal.serialisation), format_share(ideal.transfer));
  };
  std::string text = tree("Timed again", report.efficiency_on_critical_path);
  if (report.efficiency_by_replay) text += tree("Replayed", *report.efficiency_by_replay);
  if (!report.no_efficiency_by_replay.empty())
    text += "No efficiency by replay: " + report.no_efficiency_by_replay + ".";
  while (text.ends_with(' ')) text.pop_back();
  out << options.style.paint(Ink::Faint, wrap(text, options.style.width, 2)) << '\n';
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
  for (const Report::Characteristics& row : report.characteristics) {
    if (!row.region.empty() && row.time_s < kNoticeable * report.characteristics.front().time_s) continue;
    table.row("  " + row.part, "",
              {format_duration(row.time_s), format_share(row.efficiency), format_duration(row.lost_s),
               format_duration(row.communication_s), format_duration(row.insufficient_parallelism_s),
               format_duration(row.idle_s)},
              "");
  }
  table.note("Core time; lost = communication + waiting while one rank computed + idle.", 2);
  print_efficiency_by_part(report, options, out);
  print_other_trees(report, options, out);
  print_operations(report, options, out);
}

void print_messages(const Report& report, const TextOptions& options, std::ostream& out) {
  if (!report.message_sizes.empty()) print_sizes(report, options, out);
  if (!report.communicators.empty()) print_communicators(report, options, out);
}

}  // namespace waitdiag
