// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/page/page_data.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "analyzer/results/rank_groups.hpp"
#include "analyzer/results/report_fields.hpp"
#include "analyzer/summary/call_path_labels.hpp"
#include "analyzer/wording/actions.hpp"
#include "analyzer/wording/verdict.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/page/colour_class.hpp"
#include "analyzer/writers/page/encode.hpp"
#include "analyzer/writers/page/shown_names.hpp"
#include "analyzer/writers/page/source_lines.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson region_table(const Trace& trace, const ShownNames& names) {
  OrderedJson rows = OrderedJson::array();
  for (const Region& region : trace.regions())
    rows.push_back(
        {names.of(region.name), region.file, region.line, colour_class_name(colour_class(region))});
  return rows;
}

OrderedJson lane_table(const Trace& trace, const PageSelection& selection) {
  OrderedJson ranks = OrderedJson::array(), threads = OrderedJson::array(), nodes = OrderedJson::array(),
              node_names = OrderedJson::array();
  std::map<std::string, std::size_t> known;
  for (const PageSelection::Lane& lane : selection.lanes) {
    const LocationInfo& info = trace.locations()[index(lane.location)];
    const auto [node, is_new] = known.try_emplace(info.node, known.size());
    if (is_new) node_names.push_back(info.node);
    ranks.push_back(static_cast<std::int64_t>(info.rank));
    threads.push_back(info.thread);
    nodes.push_back(node->second);
  }
  return {{"rank", ranks}, {"thread", threads}, {"node", nodes}, {"node_names", node_names}};
}

// Grids of all ranks that the program made with MPI_Cart_create, as the recorder writes them.
OrderedJson grids(const Trace& trace) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [name, value] : trace.facts().properties)
    if (name.starts_with(waitprof::schema::kTopologyPrefix) && value.starts_with("cart "))
      list.push_back(value);
  return list;
}

// By cause of the report; several where one cause represents a function's call paths.
std::vector<std::vector<CallPathId>> paths_of_causes(const Trace& trace, const Diagnosis& diagnosis,
                                                     const Report& report) {
  std::set<CallPathId> late;
  for (const DelayCost& cost : diagnosis.costs.costs)
    if (cost.call_path != kNoCallPath) late.insert(cost.call_path);
  std::map<std::string, CallPathId> by_name;
  for (const CallPathId path : late)
    by_name.try_emplace(label_of(trace, diagnosis.compared().activities, path).call_path, path);
  std::vector<std::vector<CallPathId>> paths(report.causes.size());
  for (std::size_t cause = 0; cause < paths.size(); ++cause) {
    const auto found = by_name.find(report.causes[cause].call_path);
    if (found != by_name.end()) paths[cause] = diagnosis.compared().activities.pool_of(found->second);
  }
  return paths;
}

OrderedJson cause_table(const std::vector<std::vector<CallPathId>>& causes) {
  OrderedJson rows = OrderedJson::array();
  for (const std::vector<CallPathId>& paths : causes) {
    OrderedJson& row = rows.emplace_back(OrderedJson::array());
    for (const CallPathId path : paths) row.push_back(index(path));
  }
  return rows;
}

OrderedJson pattern_table() {
  OrderedJson rows = OrderedJson::array();
  for (const WaitPattern* p : wait_patterns())
    rows.push_back({{"id", p->id}, {"title", p->title}, {"summary", p->summary}, {"advice", p->advice}});
  return rows;
}

OrderedJson communicator_table(const Trace& trace) {
  OrderedJson rows = OrderedJson::array();
  for (const Communicator& communicator : trace.communicators())
    rows.push_back({communicator.name, communicator.members.size()});
  return rows;
}

OrderedJson window_facts(const PageView& view, Duration waiting, std::uint64_t messages_left_out) {
  const PageSelection& selection = view.selection;
  return {{"unit_ns", view.times.unit_ns()},
          {"from_s", seconds(selection.begin - view.trace.begin())},
          {"to_s", seconds(selection.end - view.trace.begin())},
          {"lanes_in_all", view.trace.locations().size()},
          {"operations", selection.operations},
          {"operations_in_all", selection.operations_in_all},
          {"messages_left_out", messages_left_out},
          {"waiting_s", seconds(waiting)}};
}

// What is shown call by call.
void encode_window(const Trace& trace, const Diagnosis& diagnosis, const PageSelection& selection,
                   Columns& columns) {
  const PageTimes times(selection.begin, selection.end);
  const PageView view{trace, diagnosis, selection, times};
  encode_operations(view, columns);
  encode_off_processor(view, columns);
  const Duration waiting = encode_waits(view, columns);
  const std::uint64_t messages_left_out = encode_messages(view, columns);
  encode_collectives(view, columns);
  encode_critical_path(view, columns);
  encode_steps(view, columns);
  columns.add("window", window_facts(view, waiting, messages_left_out).dump());
}

// By cause: the command that shows beforehand what its repair gains.
OrderedJson command_table(const Report& report, const std::string& archive) {
  OrderedJson rows = OrderedJson::array();
  for (const Report::Cause& cause : report.causes)
    rows.push_back(cause.action ? command_for(*cause.action, archive) : "");
  return rows;
}

// The source lines of each cause that was examined more closely.
OrderedJson source_table(const Trace& trace, const Report& report,
                         const std::vector<std::vector<CallPathId>>& paths) {
  OrderedJson rows = OrderedJson::array();
  for (std::size_t cause = 0; cause < report.causes.size() && report.causes[cause].action; ++cause) {
    OrderedJson& row = rows.emplace_back(OrderedJson::array());
    const CallPathId path = paths[cause].empty() ? kNoCallPath : paths[cause].front();
    for (const SourceLines& source :
         source_of(trace, path, report.causes[cause].file, report.causes[cause].line))
      row.push_back({{"file", source.file},
                     {"line", source.line},
                     {"first", source.first},
                     {"lines", source.lines},
                     {"what", source.what}});
  }
  return rows;
}

// Which cause of the report a repair is of.
std::optional<std::size_t> cause_of_repair(const Trace& trace, const Diagnosis& diagnosis,
                                           const Report& report, std::size_t repair) {
  if (repair >= diagnosis.spreads.size()) return std::nullopt;
  const CallPathId path = diagnosis.spreads[repair].call_path;
  const std::string name = label_of(trace, diagnosis.compared().activities, path).call_path;
  const auto found = std::ranges::find(report.causes, name, &Report::Cause::call_path);
  if (found == report.causes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - report.causes.begin());
}

// Run times with changes in part: share of the change, seconds.
OrderedJson what_if_curves(const Trace& trace, const Diagnosis& diagnosis, const Report& report) {
  const WhatIfCurves& found = diagnosis.what_if.curves;
  OrderedJson curves = OrderedJson::array(), together = OrderedJson::array();
  for (const WhatIfCurve& curve : found.curves) {
    OrderedJson points = OrderedJson::array();
    for (const WhatIfCurve::Point& point : curve.points)
      points.push_back({point.share, seconds(point.runtime)});
    OrderedJson& row = curves.emplace_back(OrderedJson{{"points", points}});
    if (curve.what == WhatIfCurve::What::Network) row["network"] = true;
    if (curve.what == WhatIfCurve::What::Rank) row["rank"] = static_cast<std::int64_t>(curve.rank);
    if (curve.what == WhatIfCurve::What::Cause)
      if (const auto cause = cause_of_repair(trace, diagnosis, report, curve.cause)) row["cause"] = *cause;
  }
  for (const Duration runtime : found.together) together.push_back(seconds(runtime));
  return {{"curves", curves}, {"together", together}};
}

// The report as every script reads it, but for the pairs of the messages, which the matrix shows.
OrderedJson report_json(Report report) {
  report.message_pairs.clear();
  std::ostringstream json;
  write_json(with_ranks_grouped(std::move(report)), json);
  return OrderedJson::parse(json.str());
}

ShownNames shown_names(const Trace& trace, const OrderedJson& report) {
  std::set<std::string> full;
  for (const Region& region : trace.regions()) full.insert(region.name);
  add_names(report, full);
  return ShownNames(full);
}

}  // namespace

std::string page_data(const Trace& trace, const Diagnosis& diagnosis, const Report& report,
                      const PageLimits& limits) {
  const PageSelection selection = select_for_page(trace, limits);
  const auto causes = paths_of_causes(trace, diagnosis, report);
  Columns columns;
  if (selection.operations <= limits.most_operations) {
    encode_window(trace, diagnosis, selection, columns);
  } else {
    encode_overview(trace, diagnosis, selection, causes, columns);
    std::size_t number = 0;
    for (const PageSelection& window :
         worst_windows(trace, diagnosis.states, selection, limits.most_operations)) {
      Columns detail;
      encode_window(trace, diagnosis, window, detail);
      columns.add("detail_" + std::to_string(number++), detail.packed());
    }
  }
  encode_call_paths(trace, diagnosis, columns);
  encode_message_matrix(report, trace.ranks(), columns);
  OrderedJson results = report_json(report);
  const ShownNames shown = shown_names(trace, results);
  shorten_names(shown, results);
  const OrderedJson names = {
      {"verdict", verdict(report).sentence},
      {"lanes", lane_table(trace, selection)},
      {"regions", region_table(trace, shown)},
      {"patterns", pattern_table()},
      {"communicators", communicator_table(trace)},
      {"waited_for", words::kWaitedFor},
      {"grids", grids(trace)},
      {"cause_paths", cause_table(causes)},
      {"commands", command_table(report, limits.archive)},
      {"editor_link", limits.editor_link},
      {"what_ifs", what_if_curves(trace, diagnosis, report)},
      {"sources", limits.source_lines ? source_table(trace, report, causes) : OrderedJson::array()}};
  // Function names come from foreign binaries: an odd byte must not cost the whole page.
  const auto text = [](const OrderedJson& json) {
    return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  };
  columns.add("report", text(results));
  columns.add("names", text(names));
  return columns.packed();
}

}  // namespace waitdiag
