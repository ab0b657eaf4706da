// Who had the processors that ranks lost. Linux tells a thread that it lost its processor, but not to whom. So
// this is judged by who wanted to run there: ranks that fit on the processors lost them to other processes, for as
// long as these ran; others to both, in proportion to how long these and the neighbours ran.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/summary/report_rows.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

struct RankOnNode {
  const LocationInfo* place = nullptr;
  double processors = 0;    // that it kept busy
  std::size_t threads = 0;  // of it that ran
};

bool ran(const Timeline& timeline) {
  for (std::size_t gap = 0; gap < timeline.gaps(); ++gap)
    if (!timeline.samples(gap).empty() || !timeline.pieces(gap).empty()) return true;
  return timeline.size() > 0;
}

std::vector<RankOnNode> ranks_on_nodes(const Trace& trace, const Report& report) {
  std::vector<RankOnNode> ranks(trace.ranks());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank].place = &trace.place_of(Rank(rank));
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l)
    ranks[index(trace.rank(Location(l)))].threads += ran(trace.timelines()[l]);
  for (const WorkerThread& worker : trace.workers())
    ranks[index(worker.info.rank)].threads += ran(worker.timeline);
  for (const RankResources& used : report.rank_resources)
    ranks[static_cast<std::size_t>(used.rank)].processors = used.processors;
  return ranks;
}

struct Takers {
  std::vector<std::int64_t> ranks;  // of the program
  double others = 1;                // their share of what was lost
};

// `others_for_it`: how long other processes ran, in what the rank lost.
Takers takers_from(const std::vector<RankOnNode>& ranks, std::size_t loser, double busy_with_others,
                   double others_for_it) {
  const LocationInfo& own = *ranks[loser].place;
  const auto beside = [&](const RankOnNode& rank) { return own.on_core_of(*rank.place); };
  const bool shares_core = std::ranges::count_if(ranks, beside) > 1;
  const std::size_t processors = shares_core ? 1 : own.node_processors;
  Takers takers;
  std::size_t threads = 0;
  double busy = std::max(0.0, ranks[loser].processors - 1);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const LocationInfo& place = *ranks[rank].place;
    if (shares_core ? !beside(ranks[rank]) : place.node != own.node) continue;
    threads += std::max<std::size_t>(1, ranks[rank].threads);
    const bool elsewhere = own.bound_to_core() && place.bound_to_core() && !beside(ranks[rank]);
    if (elsewhere || (rank == loser && ranks[rank].threads < 2)) continue;
    takers.ranks.push_back(static_cast<std::int64_t>(rank));
    busy += rank == loser ? 0 : ranks[rank].processors;
  }
  if (processors > 0 && threads <= processors) {
    takers.others = takers.ranks.empty() ? 1 : std::min(1.0, others_for_it);
    if (takers.others == 1) takers.ranks.clear();
  } else if (busy + busy_with_others > 0) {
    takers.others = busy_with_others / (busy + busy_with_others);
  }
  return takers;
}

// How busy other processes were carries that they had what these ranks lost to them: no rank waits for them for longer
// than they ran. Where they ran for shorter than the kernel counts, it does not.
bool carries(const Report::NodeResources& node, const TakenProcessors& row, double runtime_s) {
  constexpr double kLeastShown = 0.005;
  const double busy = node.busy_with_others.value_or(0);
  return busy >= kLeastShown && *row.by_others_s <= static_cast<double>(row.ranks.size()) * busy * runtime_s;
}

std::string words_for(const TakenProcessors& row, double in_mpi_s, const Report::NodeResources* node,
                      double runtime_s) {
  const auto named = [](const std::vector<std::int64_t>& ranks) {
    return (ranks.size() == 1 ? "rank " : "ranks ") + format_ranks(ranks);
  };
  const std::string lost = fmt::format(
      "{}{} lost {} {} for {}{}", row.node.empty() ? "" : "on " + row.node + " ", named(row.ranks),
      row.ranks.size() == 1 ? "its processor" : "their processors", plural(row.taken, "time"),
      format_duration(row.taken_s), in_mpi_s > 0 ? " (" + format_duration(in_mpi_s) + " in MPI calls)" : "");
  if (!row.by_others_s) return lost + ", not known to whom";
  std::string to;
  if (*row.by_others_s > 0 || row.by_ranks.empty()) {
    to = format_duration(*row.by_others_s) + " to other processes";
    if (carries(*node, row, runtime_s))
      to +=
          fmt::format(", which kept {:.2f}{} busy", *node->busy_with_others,
                      node->processors > 0 ? " of " + plural(node->processors, "processor") : " processors");
  }
  if (!row.by_ranks.empty())
    to += fmt::format("{}{} to {} of this run", to.empty() ? "" : ", ",
                      format_duration(row.taken_s - *row.by_others_s), named(row.by_ranks));
  return lost + ": " + to;
}

const Report::NodeResources* node_of(const Report& report, const std::string& name) {
  const auto node = std::ranges::find(report.node_resources, name, &Report::NodeResources::node);
  return node == report.node_resources.end() ? nullptr : &*node;
}

// What a cause lost its processor to, by the nodes of its ranks.
void name_takers(const std::vector<RankOnNode>& ranks, Report& report) {
  for (Report::Cause& cause : report.causes) {
    if (cause.kind != "preempted" || cause.why.text.empty()) continue;
    std::set<std::string> nodes;
    for (const std::int64_t rank : leading_ranks(cause.ranks))
      nodes.insert(ranks[static_cast<std::size_t>(rank)].place->node);
    const auto row = std::ranges::find_if(
        report.taken_processors, [&](const TakenProcessors& taken) { return nodes.contains(taken.node); });
    if (row != report.taken_processors.end()) cause.why.text += " In the whole run, " + row->text + ".";
  }
}

}  // namespace

void add_taken_processors(const Trace& trace, Report& report) {
  const std::vector<RankOnNode> ranks = ranks_on_nodes(trace, report);
  std::map<std::string, TakenProcessors> by_node;
  std::map<std::string, double> in_mpi;
  std::map<std::string, std::set<std::int64_t>> takers_by_node;
  for (const Report::OffProcessor& off : report.off_processor) {
    const double taken_s = off.preempted_s + off.preempted_in_mpi_s;
    if (taken_s <= 0) continue;
    const auto rank = static_cast<std::size_t>(off.rank);
    const std::string& name = ranks[rank].place->node;
    TakenProcessors& row = by_node[name];
    row.node = name;
    row.ranks.push_back(off.rank);
    row.taken_s += taken_s;
    row.taken += off.preempted + off.preempted_in_mpi;
    in_mpi[name] += off.preempted_in_mpi_s;
    const Report::NodeResources* const node = node_of(report, name);
    if (node == nullptr || !node->busy_with_others) continue;
    const double others_for_it = *node->busy_with_others * report.run.runtime_s / taken_s;
    const Takers takers = takers_from(ranks, rank, *node->busy_with_others, others_for_it);
    takers_by_node[name].insert(takers.ranks.begin(), takers.ranks.end());
    row.by_others_s = row.by_others_s.value_or(0) + takers.others * taken_s;
  }
  for (auto& [name, row] : by_node) {
    row.by_ranks.assign(takers_by_node[name].begin(), takers_by_node[name].end());
    row.text = words_for(row, in_mpi[name], node_of(report, name), report.run.runtime_s);
    report.taken_processors.push_back(row);
  }
  std::ranges::stable_sort(report.taken_processors, std::greater{}, &TakenProcessors::taken_s);
  name_takers(ranks, report);
}

}  // namespace waitdiag
