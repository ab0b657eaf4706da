// Single waits, single messages and the call tree as CSV (RFC 4180 quoting), times in seconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/csv/csv_row.hpp"
#include "analyzer/writers/exports/call_sums.hpp"
#include "analyzer/writers/exports/cube_profile.hpp"

namespace waitdiag {
namespace {

double since_begin(const Trace& trace, Time time) {
  return seconds(time - trace.begin());
}
std::int64_t rank_number(const Trace& trace, Location location) {
  return static_cast<std::int64_t>(trace.rank(location));
}
std::string name_of_path(const Trace& trace, CallPathId path) {
  return path == kNoCallPath ? "" : trace.call_path_name(path);
}

void single_waits(const ExportView& view, std::ostream& out) {
  const Trace& trace = view.trace;
  out << "rank,thread,call_path,enter_s,wait_s,pattern,late_rank,late_call,culprit_rank,culprit\n";
  for (const PageSelection::Lane& lane : view.selection.lanes)
    for (const WaitState& wait : view.diagnosis.states.waits_of(lane.location)) {
      if (!is_shown(view, wait)) continue;
      const auto number = static_cast<std::size_t>(&wait - view.diagnosis.states.waits.data());
      const WaitCulprit& culprit = view.diagnosis.costs.culprits[number];
      CsvRow row(out);
      row << rank_number(trace, lane.location)
          << std::uint64_t{trace.locations()[index(lane.location)].thread}
          << name_of_path(trace, trace.call_path(wait.victim)) << since_begin(trace, trace.enter(wait.victim))
          << seconds(wait.wait) << std::string(pattern(wait.pattern).id);
      wait.cause.valid()
          ? row << rank_number(trace, wait.cause.location) << name_of_path(trace, trace.call_path(wait.cause))
          : row << ""
                << "";
      culprit.call_path == kNoCallPath
          ? row << ""
                << ""
          : row << rank_number(trace, culprit.location) << name_of_path(trace, culprit.call_path);
    }
}

void messages(const ExportView& view, std::ostream& out) {
  const Trace& trace = view.trace;
  out << "from,to,tag,bytes,sent_s,received_s,send_call,receive_call\n";
  for (const PageSelection::Lane& lane : view.selection.lanes)
    for (const Message& message : view.diagnosis.sync.received_by(lane.location)) {
      const MessageEnd &send = send_end(trace, message), &receive = receive_end(trace, message);
      const OpRef from{message.sender, send.posted}, to{lane.location, receive.completed};
      if (!from.valid() || !to.valid() || view.selection.place(from) == kNoOp ||
          view.selection.place(to) == kNoOp)
        continue;
      CsvRow(out) << rank_number(trace, message.sender) << rank_number(trace, lane.location)
                  << std::int64_t{receive.tag} << receive.bytes << since_begin(trace, send.time)
                  << since_begin(trace, receive.time) << name_of_path(trace, trace.call_path(from))
                  << name_of_path(trace, trace.call_path(to));
    }
}

void call_tree(const ExportView& view, std::ostream& out) {
  struct Times {
    double computation = 0, mpi = 0, waiting = 0, caused = 0, visits = 0;
  };
  std::map<CallPathId, Times> rows;
  const CallSums sums = call_sums(view);
  for (const auto& [path, ns] : sums.computation) rows[path].computation += ns;
  for (const auto& [path, ns] : sums.mpi) rows[path].mpi += ns;
  for (const auto& [path, visits] : sums.visits) rows[path].visits += visits;
  for (const auto& [key, ns] : sums.waiting) rows[key.first].waiting += ns;
  for (const auto& [path, ns] : sums.caused) rows[path].caused += ns;
  out << "call_path,computation_s,mpi_s,waiting_s,caused_s,visits\n";
  constexpr double kSeconds = 1e-9;
  for (const auto& [path, times] : rows)
    CsvRow(out) << name_of_path(view.trace, path) << times.computation * kSeconds << times.mpi * kSeconds
                << times.waiting * kSeconds << times.caused * kSeconds << times.visits;
}

// A row for each call path and each thread that has values for it (the first thread, for a call path that has
// no values of its own), a column for each metric, as in Cube: the form that pandas and Hatchet expect.
// Parents have lower numbers.
void profile(const ExportView& view, std::ostream& out) {
  const CubeProfile profile = cube_profile(view);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> rows;  // by node and lane
  for (std::uint32_t node = 0; node < profile.call_paths.size(); ++node) rows[{node, 0}];
  for (std::size_t metric = 0; metric < profile.metrics.size(); ++metric)
    for (const CubeValue& value : profile.metrics[metric].values) {
      std::vector<double>& row = rows[{value.call_path, value.lane}];
      row.resize(profile.metrics.size());
      row[metric] = value.value;
    }
  for (auto& [place, row] : rows) row.resize(profile.metrics.size());
  out << "node,parent,name,call_path,rank,thread";
  for (const CubeMetric& metric : profile.metrics) out << ',' << metric.id;
  out << '\n';
  for (const auto& [place, values] : rows) {
    const auto [node, lane] = place;
    const CallPathId path = profile.call_paths[node].id;
    const Location location = view.selection.lanes[lane].location;
    CsvRow row(out);
    row << std::uint64_t{node} << (node == 0 ? "" : std::to_string(profile.call_paths[node].parent))
        << (path == kNoCallPath ? "program" : view.trace.region(path).name) << name_of_path(view.trace, path)
        << rank_number(view.trace, location) << std::uint64_t{view.trace.locations()[index(location)].thread};
    for (const double value : values) row << value;
  }
}

}  // namespace

void write_event_tables(const ExportView& view, const std::filesystem::path& directory) {
  write_csv_table(directory, "single_waits.csv", [&](std::ostream& out) { single_waits(view, out); });
  write_csv_table(directory, "messages.csv", [&](std::ostream& out) { messages(view, out); });
  write_csv_table(directory, "call_tree.csv", [&](std::ostream& out) { call_tree(view, out); });
  write_csv_table(directory, "profile.csv", [&](std::ostream& out) { profile(view, out); });
}

}  // namespace waitdiag
