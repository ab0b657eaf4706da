// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/logic_tree/logic_tree.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/simulation/logic_tree/stretches.hpp"
#include "analyzer/trace/wait_for_graph/collective.hpp"
#include "analyzer/trace/wait_for_graph/epochs.hpp"

namespace waitdiag {
namespace {

using Vertex = LogicTree::Vertex;
using EdgeKind = LogicTree::EdgeKind;
constexpr std::uint32_t kNoVertex = UINT32_MAX;

double in_seconds(double nanoseconds) {
  return nanoseconds * 1e-9;
}

class TreeMaker {
 public:
  TreeMaker(const Trace& trace, const SyncPoints& sync, const Activities& activities,
            const Stretches& stretches, Fold fold)
      : trace_(trace),
        sync_(sync),
        activities_(activities),
        stretches_(stretches),
        fold_(fold),
        each_rank_(trace.ranks() <= LogicTree::kEachRank),
        vertex_of_(trace.timelines().size()),
        given_(trace.timelines().size()) {}

  LogicTree make() {
    for (std::uint32_t l = 0; l < vertex_of_.size(); ++l) add_stretches(Location(l));
    for (const Message& message : sync_.messages) add_message(message);
    for (const CollectiveInstance& instance : sync_.collectives) add_collective(instance);
    for_each_epoch_need(sync_, [&](const OneSidedNeed& need) {
      if (need.certain())
        ++edge(before(need.on), behind({need.location, need.call}), EdgeKind::OneSided).count;
    });
    for (std::uint32_t l = 0; l < vertex_of_.size(); ++l) add_order(Location(l));
    finish();
    return std::move(tree_);
  }

 private:
  // What the stretches of a folded vertex have in common.
  using Key = std::tuple<std::uint32_t, CallPathId, CallPathId, bool>;  // location, after, before, critical
  struct Given {  // a collective operation that a call completes
    std::uint32_t op, vertex;
    bool takes_part;  // and received something from this location, in the same call
  };

  std::uint32_t before(OpRef call) const {
    return vertex_of_[index(call.location)][stretches_.containing(call.location, call.op)];
  }
  std::uint32_t behind(OpRef call) const {
    return vertex_of_[index(call.location)][stretches_.behind(call.location, call.op)];
  }
  CallPathId path_of(Location location, std::uint32_t op) const {
    return op == kNoOp ? kNoCallPath : trace_.without_sites(trace_.call_path({location, op}));
  }

  std::uint32_t new_vertex(Vertex::Kind kind) {
    tree_.vertices.emplace_back().kind = kind;
    units_.emplace_back();
    return static_cast<std::uint32_t>(tree_.vertices.size() - 1);
  }

  std::uint32_t vertex_for(Location location, std::size_t stretch) {
    const CallPathId after = path_of(location, stretches_.opening(location, stretch));
    const CallPathId until = path_of(location, stretches_.closing(location, stretch));
    std::uint32_t found = kNoVertex;
    if (fold_ == Fold::Iterations) {
      const bool critical = stretches_.critical(location, stretch).inside > Duration::zero();
      const Key key =
          each_rank_ ? Key{index(location), after, until, false} : Key{kNoVertex, after, until, critical};
      const auto [place, is_new] = folded_.try_emplace(key, kNoVertex);
      if (is_new) place->second = new_vertex(Vertex::Kind::Computation);
      found = place->second;
    } else {
      found = new_vertex(Vertex::Kind::Computation);
    }
    Vertex& vertex = tree_.vertices[found];
    if (after != kNoCallPath) vertex.after = trace_.region(after).name;
    if (until != kNoCallPath) vertex.before = trace_.region(until).name;
    return found;
  }

  void add_stretches(Location location) {
    std::map<std::uint32_t, std::uint64_t> here;  // occurrences, by vertex
    for (std::size_t i = 0; i < stretches_.count(location); ++i) {
      const std::uint32_t v = vertex_for(location, i);
      vertex_of_[index(location)].push_back(v);
      ++here[v];
      add_times(location, i, tree_.vertices[v], units_[v]);
    }
    for (const auto& [v, times] : here) {
      Vertex& vertex = tree_.vertices[v];
      vertex.occurrences += times;
      vertex.iterations = std::max(vertex.iterations, times);
      vertex.ranks.push_back(static_cast<std::int64_t>(index(trace_.rank(location))));
    }
  }

  void add_times(Location location, std::size_t stretch, Vertex& vertex,
                 std::map<std::size_t, LogicTree::Unit>& units) const {
    const Timeline& timeline = trace_.timeline(location);
    const std::uint32_t open = stretches_.opening(location, stretch);
    const std::uint32_t close = stretches_.closing(location, stretch);
    const std::uint32_t first = open == kNoOp ? 0 : open + 1;
    const auto last = close == kNoOp ? static_cast<std::uint32_t>(timeline.size()) : close;
    const auto add = [&](std::size_t slot, double nanoseconds) {
      units[slot].seconds += in_seconds(nanoseconds);
      vertex.seconds += in_seconds(nanoseconds);
    };
    for (std::uint32_t gap = first; gap <= last; ++gap) {
      activities_.for_each_in_gap(location, gap, [&](ActivityId activity, Duration time) {
        const auto nanoseconds = static_cast<double>(time.count());
        if (activities_.is_exact(activity)) return add(index(activity), nanoseconds);
        for (const Share& share : activities_.shares(activity))
          add(activities_.slot(share.call_path), share.share() * nanoseconds);
      });
      for (const ComputationPiece& piece : timeline.pieces(gap))
        if (piece.visits > 0 && piece.call_path != kNoCallPath)
          units[activities_.slot(piece.call_path)].count += piece.visits;
      if (gap < last) vertex.calls_s += in_seconds(static_cast<double>(timeline.length(gap).count()));
    }
    const Stretches::Critical& critical = stretches_.critical(location, stretch);
    if (critical.inside <= Duration::zero()) return;
    ++vertex.critical;
    vertex.critical_s += in_seconds(static_cast<double>(critical.inside.count()));
  }

  LogicTree::Edge& edge(std::uint32_t from, std::uint32_t to, EdgeKind kind) {
    const auto [place, is_new] = edges_.try_emplace({from, to, kind}, tree_.edges.size());
    if (is_new) tree_.edges.push_back({.from = from, .to = to, .kind = kind});
    return tree_.edges[place->second];
  }

  void add_message(const Message& message) {
    const MessageEnd &sent = send_end(trace_, message), &received = receive_end(trace_, message);
    if (sent.posted == kNoOp || received.completed == kNoOp) return;
    LogicTree::Edge& found = edge(before({message.sender, sent.posted}),
                                  behind({message.receiver, received.completed}), EdgeKind::Message);
    ++found.count;
    found.bytes += sent.bytes;
  }

  std::uint32_t collective_vertex(const CollectiveInstance& instance) {
    const CollectiveMember& first = sync_.members_of(instance)[0];
    const CallPathId path = path_of(first.location, operation_of(trace_, instance, first));
    std::uint32_t found = kNoVertex;
    if (fold_ == Fold::Iterations) {
      const auto [place, is_new] = collectives_.try_emplace(path, kNoVertex);
      if (is_new) place->second = new_vertex(Vertex::Kind::Collective);
      found = place->second;
    } else {
      found = new_vertex(Vertex::Kind::Collective);
    }
    Vertex& vertex = tree_.vertices[found];
    vertex.name = trace_.call_path_name(path);
    ++vertex.occurrences;
    ++vertex.iterations;
    return found;
  }

  void add_collective(const CollectiveInstance& instance) {
    const Collective collective(trace_, sync_, instance);
    if (collective.size() == 0) return;
    const std::uint32_t vertex = collective_vertex(instance);
    for (std::uint32_t m = 0; m < collective.size(); ++m) {
      const Location location = collective.location(m);
      const CollectivePart* const part = collective.record(m);
      const OpRef starts = collective.begins(m), ends = collective.ends(m);
      tree_.vertices[vertex].bytes += part == nullptr ? 0 : part->sent;
      tree_.vertices[vertex].ranks.push_back(static_cast<std::int64_t>(index(trace_.rank(location))));
      const bool gives = collective.gives(m) && starts.valid(), takes = collective.takes(m) && ends.valid();
      if (gives) add_to(edge(before(starts), vertex, EdgeKind::Collective), part == nullptr ? 0 : part->sent);
      if (!takes) continue;
      add_to(edge(vertex, behind(ends), EdgeKind::Collective), part == nullptr ? 0 : part->received);
      given_[index(location)].push_back({ends.op, vertex, gives && starts == ends});
    }
  }

  static void add_to(LogicTree::Edge& edge, std::uint64_t bytes) {
    ++edge.count;
    edge.bytes += bytes;
  }

  // Adds edges from each stretch to the next one of its location, and from where the critical path came.
  void add_order(Location location) {
    auto& given = given_[index(location)];
    std::ranges::sort(given, {}, &Given::op);
    const auto& vertices = vertex_of_[index(location)];
    for (std::size_t i = 0; i + 1 < vertices.size(); ++i) {
      const auto found = std::ranges::lower_bound(given, stretches_.closing(location, i), {}, &Given::op);
      const bool collective = found != given.end() && found->op == stretches_.closing(location, i);
      if (!collective || !found->takes_part) ++edge(vertices[i], vertices[i + 1], EdgeKind::Next).count;
      const Stretches::Critical& critical = stretches_.critical(location, i);
      if (!critical.from.valid() && critical.in_closing <= Duration::zero()) continue;
      const double time = in_seconds(static_cast<double>(critical.in_closing.count()));
      const std::uint32_t from = critical.from.valid() ? before(critical.from) : vertices[i];
      if (collective && (critical.from.valid() || found->takes_part)) {
        through(from, found->vertex, vertices[i + 1], time);
      } else {
        LogicTree::Edge& taken = critical.from.valid() ? incoming(from, vertices[i + 1])
                                                       : edge(from, vertices[i + 1], EdgeKind::Next);
        ++taken.critical;
        taken.critical_s += time;
      }
    }
  }

  void through(std::uint32_t from, std::uint32_t collective, std::uint32_t to, double time) {
    ++edge(from, collective, EdgeKind::Collective).critical;
    ++edge(collective, to, EdgeKind::Collective).critical;
    ++tree_.vertices[collective].critical;
    tree_.vertices[collective].critical_s += time;
  }

  // A message if there is one; otherwise the wait was for one-sided communication.
  LogicTree::Edge& incoming(std::uint32_t from, std::uint32_t to) {
    const auto message = edges_.find({from, to, EdgeKind::Message});
    return message != edges_.end() ? tree_.edges[message->second] : edge(from, to, EdgeKind::OneSided);
  }

  void finish() {
    for (std::size_t v = 0; v < tree_.vertices.size(); ++v) {
      Vertex& vertex = tree_.vertices[v];
      std::ranges::sort(vertex.ranks);
      vertex.ranks.erase(std::unique(vertex.ranks.begin(), vertex.ranks.end()), vertex.ranks.end());
      for (auto& [slot, unit] : units_[v]) {
        const CallPathId path = activities_.call_path(slot);
        unit.call_path = path == kNoCallPath ? "outside known functions" : trace_.call_path_name(path);
        if (unit.seconds > 0 || unit.count > 0) vertex.units.push_back(std::move(unit));
      }
      std::ranges::stable_sort(vertex.units, std::greater<>(), &LogicTree::Unit::seconds);
      if (vertex.kind == Vertex::Kind::Computation && !vertex.units.empty())
        vertex.name = vertex.units.front().call_path;
    }
  }

  const Trace& trace_;
  const SyncPoints& sync_;
  const Activities& activities_;
  const Stretches& stretches_;
  Fold fold_;
  bool each_rank_;
  std::vector<std::vector<std::uint32_t>> vertex_of_;  // by location and stretch
  std::vector<std::vector<Given>> given_;              // by location
  std::map<Key, std::uint32_t> folded_;
  std::map<CallPathId, std::uint32_t> collectives_;
  std::vector<std::map<std::size_t, LogicTree::Unit>> units_;  // by vertex and slot
  std::map<std::tuple<std::uint32_t, std::uint32_t, EdgeKind>, std::size_t> edges_;
  LogicTree tree_;
};

}  // namespace

LogicTree make_logic_tree(const Trace& trace, const SyncPoints& sync, const Dependencies& dependencies,
                          const Activities& activities, const CriticalPath& path, Fold fold) {
  const Stretches stretches(trace, dependencies, path);
  LogicTree tree = TreeMaker(trace, sync, activities, stretches, fold).make();
  tree.program = trace.facts().program;
  tree.ranks = trace.ranks();
  tree.folded = fold == Fold::Iterations;
  tree.runtime_s = seconds(trace.end() - trace.begin());
  return tree;
}

}  // namespace waitdiag
