// The wait-for graph of a generated run: how long it takes to build, and the cost of its order, longest chain
// and reachable calls with our own loops and with Boost.Graph. One line for each: CPU seconds, and bytes per
// call at the peak.
//
//   wait_for_graph_bench [ranks] [steps]
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/graph/two_bit_color_map.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/formats/read/read.hpp"
#include "analyzer/trace/wait_for_graph/happened_before.hpp"
#include "analyzer/trace/wait_for_graph/topological_order.hpp"
#include "tests/support/generated/generated_run.hpp"

namespace waitdiag {
namespace {

using Node = WaitForGraph::Node;

double cpu_seconds() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

double memory(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return 1024 * std::stod(line.substr(key.size() + 1));
  return 0;
}

template <typename Work>
void measure(const char* what, std::size_t calls, Work work) {
  std::ofstream("/proc/self/clear_refs") << 5;
  const double before = memory("VmRSS"), start = cpu_seconds();
  const std::uint64_t result = work();
  const double cpu = cpu_seconds() - start;
  fmt::print("{:28} {:8.3f} s {:7.1f} B/call   ({})\n", what, cpu,
             (memory("VmHWM") - before) / static_cast<double>(calls), result);
}

// The largest number of vertices of which each happened before the next.
template <typename Order>
std::uint64_t longest_chain(const HappenedBefore& graph, const Order& for_each_in_order) {
  std::vector<std::uint32_t> length(graph.vertices(), 0);
  for_each_in_order([&](Node vertex) {
    std::uint32_t most = 0;
    for (std::size_t place = 0; place < graph.places(vertex); ++place)
      if (const Node before = graph.target(vertex, place); before != vertex)
        most = std::max(most, length[before]);
    length[vertex] = most + 1;
  });
  return *std::ranges::max_element(length);
}

std::uint64_t reachable(const HappenedBefore& graph, Node from) {
  std::vector<bool> seen(graph.vertices());
  std::vector<Node> open{from};
  seen[from] = true;
  std::uint64_t count = 0;
  while (!open.empty()) {
    const Node vertex = open.back();
    open.pop_back();
    ++count;
    for (std::size_t place = 0; place < graph.places(vertex); ++place) {
      const Node before = graph.target(vertex, place);
      if (seen[before]) continue;
      seen[before] = true;
      open.push_back(before);
    }
  }
  return count;
}

void compare(const Trace& trace, WaitForGraph& graph) {
  const HappenedBefore view(trace, graph);
  const std::size_t calls = graph.calls();
  measure("order, ours", calls, [&] { return TopologicalOrder(trace, graph).find().size(); });
  std::vector<Node> order;
  measure("order, Boost.Graph", calls, [&] {
    order.reserve(view.vertices());
    boost::two_bit_color_map<> colour(view.vertices());
    boost::topological_sort(view, std::back_inserter(order), boost::color_map(colour));
    return order.size();
  });
  measure("longest chain, our order", calls, [&] {
    return longest_chain(view, [&](auto visit) {
      for (const WaitForGraph::Run& run : graph.order())
        for (Node vertex = run.first; vertex < run.last; ++vertex) visit(vertex);
    });
  });
  measure("longest chain, Boost's order", calls,
          [&] { return longest_chain(view, [&](auto visit) { std::ranges::for_each(order, visit); }); });
  const auto last = static_cast<Node>(calls - 1);
  measure("reachable, ours", calls, [&] { return reachable(view, last); });
  measure("reachable, Boost.Graph", calls, [&] {
    boost::two_bit_color_map<> colour(view.vertices());
    boost::queue<Node> open;
    std::uint64_t count = 0;
    struct Counter : boost::default_bfs_visitor {
      std::uint64_t* count;
      void discover_vertex(Node, const HappenedBefore&) const { ++*count; }
    } counter;
    counter.count = &count;
    boost::breadth_first_visit(view, last, open, counter, colour);
    return count;
  });
}

}  // namespace
}  // namespace waitdiag

int main(int argc, char** argv) {
  using namespace waitdiag;
  fixtures::GeneratedRun run;
  CLI::App app("What the wait-for graph of a generated run costs, with our own loops and with Boost.Graph");
  app.add_option("ranks", run.ranks)->check(CLI::Range(1U, 1'000'000U))->capture_default_str();
  app.add_option("steps", run.steps)->check(CLI::Range(1U, 1'000'000U))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto archive =
      std::filesystem::temp_directory_path() / fmt::format("wait_for_graph_bench_{}", ::getpid());
  fixtures::write_generated_run(archive, run);
  const Trace trace = read_archive(archive);
  std::filesystem::remove_all(archive);
  const SyncPoints sync = match(trace);
  const WaitStates states = detect(trace, sync, {});
  std::size_t calls = 0;
  for (const Timeline& timeline : trace.timelines()) calls += timeline.size();
  std::vector<WaitForGraph> made;
  measure("graph and order", calls, [&] {
    made.emplace_back(trace, sync, WaitForOptions{.needs_receiver = states.needs_receiver});
    return made[0].all_needs().size();
  });
  compare(trace, made[0]);
}
