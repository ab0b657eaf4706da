// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/serving/served_run.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "analyzer/diagnosis/serving/service_queue.hpp"

namespace waitdiag {
namespace {

constexpr double kClose = 0.02;  // of the run time: the unchanged run has to end as it did

// One change, followed through the run.
class Following {
 public:
  using Node = ServedRun::Node;

  Following(const ServedRun& run, const Change& change)
      : run_(run),
        trace_(run.trace()),
        dependencies_(run.dependencies()),
        graph_(run.dependencies().graph()),
        change_(change),
        known_(graph_.calls() + graph_.joins(), false),
        when_(known_.size(), Time::min()),
        missing_members_(graph_.joins()),
        here_(trace_.timelines().size()) {
    for (std::size_t join = 0; join < missing_members_.size(); ++join)
      missing_members_[join] =
          static_cast<std::uint32_t>(graph_.members(static_cast<Node>(graph_.calls() + join)).size());
    for (std::size_t l = 0; l < here_.size(); ++l) {
      for (const Services& services : run.services()[l]) here_[l].queues.emplace_back(services);
    }
  }

  // Nothing: not all came to their end.
  std::optional<Time> run() {
    for (std::uint32_t l = 0; l < here_.size(); ++l) {
      here_[l].time = trace_.timelines()[l].begin();
      go_on(l, 0);
    }
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = std::max(now_, event.time);
      if (here_[event.location].chooses)
        choose(event.location);
      else
        enter(event.location, here_[event.location].op, event.time);
      settle();
    }
    Time last = trace_.begin();
    for (const Here& here : here_) {
      if (!here.ended) return std::nullopt;
      last = std::max(last, here.time);
    }
    return last;
  }

 private:
  // Where a location has come to.
  struct Here {
    Time time{};           // of the next event, or the end; in a call: when it was entered
    std::uint32_t op = 0;  // the call that it is in, or enters next
    bool inside = false, chooses = false, waits = false, ended = false;
    std::size_t unmet = 0;                  // targets of the call that it is in that were not in MPI yet
    Time released{};                        // as far as is known
    Time left{};                            // the call before
    std::vector<ServiceQueue> queues{};     // its services, in the order of its calls
    std::size_t queue = 0;                  // the next one
    const Service* service = nullptr;       // that it is in
    std::vector<std::uint32_t> visitors{};  // who waits until it is in MPI
  };
  struct Event {
    Time time{};
    std::uint32_t location = 0;
    friend bool operator>(const Event& a, const Event& b) {
      return std::pair(a.time, a.location) > std::pair(b.time, b.location);
    }
  };

  Node node(std::uint32_t location, std::uint32_t op) const { return graph_.node({Location(location), op}); }
  const Timeline& timeline(std::uint32_t location) const { return trace_.timelines()[location]; }

  Duration saved(std::uint32_t location, std::uint32_t op, bool in_call) const {
    const auto& all = timed(change_);
    if (location >= all.size()) return {};
    const auto of = [](const Saving& saving) { return std::pair(saving.op, saving.in_call); };
    Duration sum{};
    for (auto at = std::ranges::lower_bound(all[location], std::pair(op, in_call), {}, of);
         at != all[location].end() && of(*at) == std::pair(op, in_call); ++at)
      sum += at->time;
    return sum;
  }
  // From where the call before `op` was left, or the location began.
  void go_on(std::uint32_t location, std::uint32_t op) {
    Here& here = here_[location];
    here.time += shorter_gap(timeline(location), op, saved(location, op, false));
    if (here.service != nullptr && op == here.service->last) {
      here.service = nullptr;
      ServiceQueue& queue = here.queues[here.queue];
      here.chooses = !queue.done();
      if (!here.chooses) op = here.queues[here.queue++].services().last();
    }
    if (here.service == nullptr && !here.chooses && here.queue < here.queues.size() &&
        here.queues[here.queue].services().first() == op)
      here.chooses = true;
    here.op = op;
    if (!here.chooses && op >= timeline(location).size()) {
      here.ended = true;
      return;
    }
    events_.push({here.time, location});
  }

  void choose(std::uint32_t location) {
    Here& here = here_[location];
    ServiceQueue& queue = here.queues[here.queue];
    wake_visitors(location);
    here.inside = true;
    here.waits = !queue.first_ready();
    if (!here.waits) serve(location, false);
  }

  // The first one of those whose messages are there.
  void serve(std::uint32_t location, bool waited) {
    Here& here = here_[location];
    ServiceQueue& queue = here.queues[here.queue];
    const Service& service = queue.take(*queue.first_ready());
    here.chooses = here.waits = false;
    here.service = &service;
    Time begin = here.time;
    for (std::uint32_t op = service.first; op < service.receives; ++op) now_known(node(location, op), begin);
    if (waited && service.first < service.receives)
      begin = std::max(begin, now_) + found_late(location, service);
    enter(location, service.receives, begin);
  }

  // How long after the message had come a server that polled found it.
  Duration found_late(std::uint32_t location, const Service& service) const {
    Time could = timeline(location).enter(service.first);
    for (const OpRef sent : service.needs) could = std::max(could, trace_.enter(sent));
    return std::max(Duration::zero(), timeline(location).enter(service.receives) - could);
  }

  void enter(std::uint32_t location, std::uint32_t op, Time time) {
    Here& here = here_[location];
    here.op = op;
    here.inside = true;
    here.released = time;
    meet_targets(location, node(location, op));
    wake_visitors(location);
    now_known(node(location, op), time);
    if (here.unmet == 0) may_leave_.push_back(location);
  }

  void leave_if_possible(std::uint32_t location) {
    Here& here = here_[location];
    const Node call = node(location, here.op);
    const std::span<const Location> targets = run_.targets_of(call);
    const bool chosen =
        here.service != nullptr && here.service->one_of_several && here.op == here.service->receives;
    for (const Node on : graph_.of_call(call)) {
      if (chosen && graph_.is_call(on) && graph_.call(on).location != here.service->clients.front()) continue;
      if (!targets.empty() && graph_.is_call(on) &&
          std::ranges::find(targets, graph_.call(on).location) != targets.end())
        continue;
      if (!known_[on]) {
        sleepers_[on].push_back(location);
        return;
      }
      here.released = std::max(here.released, when_[on]);
    }
    here.time = here.released + shorter_own(run_.own(call), saved(location, here.op, true));
    here.left = here.time;
    here.inside = false;
    go_on(location, here.op + 1);
  }

  // Waits for targets that compute until they are in MPI.
  void meet_targets(std::uint32_t location, Node call) {
    Here& here = here_[location];
    here.unmet = 0;
    for (const Location target : run_.targets_of(call)) {
      Here& there = here_[index(target)];
      if (there.inside || there.ended || there.left >= here.released) continue;
      there.visitors.push_back(location);
      ++here.unmet;
    }
  }
  void wake_visitors(std::uint32_t location) {
    for (const std::uint32_t visitor : std::exchange(here_[location].visitors, {})) {
      Here& here = here_[visitor];
      here.released = std::max(here.released, here_[location].time);
      if (--here.unmet == 0) may_leave_.push_back(visitor);
    }
  }

  // A call was entered, or a join is complete.
  void now_known(Node node, Time time) {
    if (known_[node]) return;
    known_[node] = true;
    when_[node] = time;
    newly_known_.push_back(node);
  }
  void came(const ServedRun::Need& need) {
    Here& server = here_[need.server];
    server.queues[need.services].came(need.service);
    if (!server.waits || server.queue != need.services || !server.queues[need.services].first_ready()) return;
    server.waits = false;
    may_serve_.push_back(need.server);
  }

  // What follows at once from what is known: one thing after the other, for it may be a long chain.
  void settle() {
    const auto take = [](auto& last_in) {
      const auto taken = last_in.back();
      last_in.pop_back();
      return taken;
    };
    while (true) {
      if (!newly_known_.empty())
        tell(take(newly_known_));
      else if (!may_leave_.empty())
        leave_if_possible(take(may_leave_));
      else if (!may_serve_.empty())
        serve(take(may_serve_), true);
      else
        return;
    }
  }
  void tell(Node node) {
    for (const Node join : run_.joins_of(node)) {
      when_[join] = std::max(when_[join], when_[node]);
      if (--missing_members_[graph_.join(join)] == 0) now_known(join, when_[join]);
    }
    if (const auto found = sleepers_.find(node); found != sleepers_.end()) {
      may_leave_.insert(may_leave_.end(), found->second.begin(), found->second.end());
      sleepers_.erase(found);
    }
    if (graph_.is_call(node))
      for (const ServedRun::Need& need : run_.needed_by(node)) came(need);
  }

  const ServedRun& run_;
  const Trace& trace_;
  const Dependencies& dependencies_;
  const WaitForGraph& graph_;
  const Change& change_;
  std::vector<bool> known_;                     // by node
  std::vector<Time> when_;                      // the same
  std::vector<std::uint32_t> missing_members_;  // by join
  std::unordered_map<Node, std::vector<std::uint32_t>> sleepers_;
  std::vector<Node> newly_known_;                     // that others have to be told of
  std::vector<std::uint32_t> may_leave_, may_serve_;  // locations
  std::vector<Here> here_;                            // by location
  Time now_ = Time::min();
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

ServedRun::ServedRun(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                     const Dependencies& dependencies, std::size_t most_calls)
    : trace_(trace), dependencies_(dependencies), services_(trace.timelines().size()) {
  if (dependencies.graph().calls() > most_calls) return;
  services_ = find_services(trace, sync);
  for (auto& [call, needs] : find_access_targets(trace, sync, states, dependencies))
    accesses_.emplace(dependencies.graph().node(call), std::move(needs));
  any_ = !accesses_.empty() ||
         std::ranges::any_of(services_, [](const auto& of_location) { return !of_location.empty(); });
  if (!any_) return;
  find_joins();
  find_needs();
  unchanged_ = follow({});
  const double run = static_cast<double>((trace.end() - trace.begin()).count());
  if (unchanged_ && std::abs(static_cast<double>((*unchanged_ - trace.end()).count())) > kClose * run)
    unchanged_.reset();
}

void ServedRun::find_joins() {
  const WaitForGraph& graph = dependencies_.graph();
  first_join_.assign(graph.calls() + graph.joins() + 1, 0);
  const auto for_each_member = [&](auto visit) {
    for (std::size_t join = 0; join < graph.joins(); ++join) {
      const auto node = static_cast<Node>(graph.calls() + join);
      for (const Node member : graph.members(node)) visit(member, node);
    }
  };
  for_each_member([&](Node member, Node) { ++first_join_[member + 1]; });
  for (std::size_t i = 1; i < first_join_.size(); ++i) first_join_[i] += first_join_[i - 1];
  joins_.resize(first_join_.back());
  std::vector<std::uint32_t> next(first_join_.begin(), first_join_.end() - 1);
  for_each_member([&](Node member, Node join) { joins_[next[member]++] = join; });
}

void ServedRun::find_needs() {
  is_needed_ = RankedBits(dependencies_.graph().calls());
  for (std::uint32_t l = 0; l < services_.size(); ++l)
    for (std::uint32_t i = 0; i < services_[l].size(); ++i)
      for (std::uint32_t s = 0; s < services_[l][i].in_order.size(); ++s)
        for (const OpRef sent : services_[l][i].in_order[s].needs) {
          needs_.push_back({dependencies_.graph().node(sent), l, i, s});
          is_needed_.set(needs_.back().sent);
        }
  is_needed_.close();
  std::ranges::stable_sort(needs_, {}, &Need::sent);
}

std::span<const ServedRun::Need> ServedRun::needed_by(Node sent) const {
  if (!is_needed_[sent]) return {};
  return {std::ranges::lower_bound(needs_, sent, {}, &Need::sent),
          std::ranges::upper_bound(needs_, sent, {}, &Need::sent)};
}

std::optional<Time> ServedRun::follow(const Change& change) const {
  return Following(*this, change).run();
}

std::optional<Time> ServedRun::end(const Change& change) const {
  if (!unchanged_) return std::nullopt;
  const std::optional<Time> end = follow(change);
  if (!end) return std::nullopt;
  return *end + (trace_.end() - *unchanged_);
}

}  // namespace waitdiag
