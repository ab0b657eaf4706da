// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/page/page_data.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/page/encode.hpp"
#include "analyzer/report/json.hpp"
#include "analyzer/report/verdict.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

using OrderedJson = nlohmann::ordered_json;

bool begins_with_one_of(const std::string& name, std::initializer_list<const char*> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const char* beginning) { return name.starts_with(beginning); });
}

// What a region is drawn as; share/web/model.ts has the same names.
const char* colour_class(const Region& region) {
  if (region.kind == CallKind::Computation) return "computation";
  if (region.kind == CallKind::Artificial) return "measurement";
  if (region.kind == CallKind::Init || region.kind == CallKind::Finalize) return "start_end";
  if (region.kind >= CallKind::Send && region.kind <= CallKind::Iprobe) return "point_to_point";
  if (region.kind >= CallKind::Barrier && region.kind <= CallKind::Scan) return "collective";
  if (region.kind >= CallKind::WinFence && region.kind <= CallKind::WinWait) return "one_sided";
  if (region.kind == CallKind::CommConstruct) return "collective";
  if (begins_with_one_of(region.name, {"MPI_File_"})) return "io";
  if (begins_with_one_of(region.name, {"MPI_Win_", "MPI_Put", "MPI_Get", "MPI_Rput", "MPI_Rget",
                                       "MPI_Accumulate", "MPI_Raccumulate", "MPI_Fetch_and_op"}))
    return "one_sided";
  return "other_mpi";
}

OrderedJson region_table(const Trace& trace) {
  OrderedJson rows = OrderedJson::array();
  for (const Region& region : trace.regions())
    rows.push_back({region.name, region.file, region.line, colour_class(region)});
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

// Grids of all ranks that the program made with MPI_Cart_create, as the recorder puts it.
OrderedJson grids(const Trace& trace) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [name, value] : trace.facts().properties)
    if (name.starts_with(waitprof::schema::kTopologyPrefix) && value.starts_with("cart "))
      list.push_back(value);
  return list;
}

// By cause of the report: its call path.
OrderedJson cause_paths(const Trace& trace, const Results& results, const Report& report) {
  std::map<std::string, std::size_t> by_name;
  for (const DelayCost& cost : results.costs.costs) {
    if (cost.call_path != kNoCallPath)
      by_name.try_emplace(trace.call_path_name(cost.call_path), index(cost.call_path));
  }
  OrderedJson paths = OrderedJson::array();
  for (const Report::Cause& cause : report.causes) {
    const auto found = by_name.find(cause.call_path);
    paths.push_back(found == by_name.end() ? OrderedJson() : OrderedJson(found->second));
  }
  return paths;
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

OrderedJson window(const PageView& view, std::uint64_t messages_left_out) {
  const PageSelection& selection = view.selection;
  return {{"unit_ns", view.times.unit_ns()},
          {"from_s", seconds(selection.begin - view.trace.begin())},
          {"to_s", seconds(selection.end - view.trace.begin())},
          {"lanes_in_all", view.trace.locations().size()},
          {"operations", selection.operations},
          {"operations_in_all", selection.operations_in_all},
          {"messages_left_out", messages_left_out},
          {"shortened", selection.shortened}};
}

// The report as every script reads it, but for the pairs of the messages, which the matrix shows.
std::string report_json(Report report) {
  report.message_pairs.clear();
  std::ostringstream json;
  write_json(report, json);
  return json.str();
}

}  // namespace

std::string page_data(const Trace& trace, const Results& results, const Report& report,
                      const PageLimits& limits) {
  const PageSelection selection = select_for_page(trace, results.states, limits);
  const PageTimes times(selection.begin, selection.end);
  const PageView view{trace, results, selection, times};
  Columns columns;
  encode_operations(view, columns);
  encode_waits(view, columns);
  const std::uint64_t messages_left_out = encode_messages(view, columns);
  encode_collectives(view, columns);
  encode_critical_path(view, columns);
  encode_steps(view, columns);
  encode_call_paths(view, columns);
  encode_message_matrix(report, trace.ranks(), columns);
  const OrderedJson names = {{"verdict", verdict(report).sentence},
                             {"window", window(view, messages_left_out)},
                             {"lanes", lane_table(trace, selection)},
                             {"regions", region_table(trace)},
                             {"patterns", pattern_table()},
                             {"communicators", communicator_table(trace)},
                             {"grids", grids(trace)},
                             {"cause_paths", cause_paths(trace, results, report)}};
  columns.add("report", report_json(report));
  // Function names come from foreign binaries: an odd byte must not cost the whole page.
  columns.add("names", names.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
  return columns.packed();
}

}  // namespace waitdiag
