// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/wait_for_graph/wait_for_graph.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analyzer/trace/model/counts.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/polling.hpp"
#include "analyzer/trace/wait_for_graph/collective.hpp"
#include "analyzer/trace/wait_for_graph/epochs.hpp"
#include "analyzer/trace/wait_for_graph/topological_order.hpp"

namespace waitdiag {

WaitForGraph::WaitForGraph(const Trace& trace, const SyncPoints& sync, const WaitForOptions& options)
    : trace_(trace), contradicted_(options.contradicted), keeps_origins_(options.origins), numbers_(trace) {
  std::vector<Needs> needs = needs_of_messages(sync, options);
  const std::size_t of_messages = needs.size();
  add_collectives(sync, options, needs);
  Needs of_polls;
  add_polls(options.polls, std::span(needs).subspan(of_messages), of_polls);
  needs.push_back(std::move(of_polls));
  add_epochs(sync, options, needs.emplace_back());
  Needs& found = needs.emplace_back();
  for (const auto& [call, on, may_end_before] : options.found) {
    if (may_end_before)
      add({node(call), node(on)}, {}, found);
    else
      add_need(call, on, {}, found);
  }
  if (options.has(WaitsFor::Thread))
    for (const ThreadNeed& need : sync.thread_needs)
      add_need(need.call, need.on, {WaitsFor::Thread, 0}, found);
  sort_needs(needs);
  needs.clear();
  needs.shrink_to_fit();
  order_ = TopologicalOrder(trace, *this).find();
}

void WaitForGraph::add(Need need, Origin origin, Needs& needs) const {
  needs.edges.push_back(need);
  if (keeps_origins_) needs.origins.push_back(origin);
}

void WaitForGraph::add_need(OpRef call, OpRef on, Origin origin, Needs& needs) const {
  if (!call.valid() || !on.valid() || call.location == on.location) return;
  if (contradicted_ == WaitForOptions::Contradicted::LeftOut && trace_.enter(on) > trace_.leave(call)) return;
  add({node(call), node(on)}, origin, needs);
}

std::vector<WaitForGraph::Needs> WaitForGraph::needs_of_messages(const SyncPoints& sync,
                                                                 const WaitForOptions& options) const {
  constexpr std::size_t kMessages = std::size_t{1} << 14;  // of one block
  std::vector<Needs> blocks((sync.messages.size() + kMessages - 1) / kMessages);
  const bool receives = options.has(WaitsFor::Message), sends = options.has(WaitsFor::Rendezvous);
  for_each_index(blocks.size(), [&](std::size_t block) {
    const std::size_t last = std::min((block + 1) * kMessages, sync.messages.size());
    for (std::size_t i = block * kMessages; i < last; ++i) {
      const Message& message = sync.messages[i];
      const auto record = static_cast<std::uint32_t>(i);
      const MessageEnd &sent = send_end(trace_, message), &received = receive_end(trace_, message);
      if (receives)
        add_need({message.receiver, received.completed}, {message.sender, sent.posted},
                 {WaitsFor::Message, record}, blocks[block]);
      if (sends && options.needs_receiver[i] != 0)
        add_need({message.sender, sent.completed}, {message.receiver, received.posted},
                 {WaitsFor::Rendezvous, record}, blocks[block]);
    }
  });
  return blocks;
}

void WaitForGraph::add_collectives(const SyncPoints& sync, const WaitForOptions& options,
                                   std::vector<Needs>& needs) {
  constexpr std::size_t kInstances = 256;  // of one block
  std::vector<Joins> blocks((sync.collectives.size() + kInstances - 1) / kInstances);
  for_each_index(blocks.size(), [&](std::size_t block) {
    const std::size_t last = std::min((block + 1) * kInstances, sync.collectives.size());
    for (std::size_t i = block * kInstances; i < last; ++i) {
      const Collective collective(trace_, sync, sync.collectives[i]);
      if (options.has(collective.rule().of)) add_collective(collective, blocks[block]);
      blocks[block].instances.resize(blocks[block].last.size(), static_cast<std::uint32_t>(i));
    }
  });
  const bool any_prefix = std::ranges::any_of(blocks, [](const Joins& block) {
    return std::ranges::any_of(block.prefixes, [](std::uint32_t members) { return members > 0; });
  });
  for (Joins& block : blocks) {
    const auto before = static_cast<Node>(joins());
    counted<Node>(calls() + joins() + block.last.size(), "MPI calls");
    for (Need& need : block.needs.edges) need.on += is_call(need.on) ? 0 : before;
    for (const std::uint32_t end : block.ends)
      first_member_.push_back(counted<Node>(members_.size() + end, "parts in collective operations"));
    for (Node& member : block.members) member += is_call(member) ? 0 : before;
    members_.insert(members_.end(), block.members.begin(), block.members.end());
    if (any_prefix) prefixes_.insert(prefixes_.end(), block.prefixes.begin(), block.prefixes.end());
    instances_.insert(instances_.end(), block.instances.begin(), block.instances.end());
    last_.insert(last_.end(), block.last.begin(), block.last.end());
    needs.push_back(std::move(block.needs));
  }
}

void WaitForGraph::add_collective(const Collective& collective, Joins& block) const {
  const bool certain_only = contradicted_ == WaitForOptions::Contradicted::Kept;
  if (certain_only && !collective.must_wait()) return;
  const auto origin = [&](std::uint32_t m) { return Origin{collective.waits_for(), collective.place(m)}; };
  switch (collective.waits_for()) {
    case WaitsFor::All:
    case WaitsFor::AtRoot:
      return add_join(collective, block);
    case WaitsFor::Root:
      for (std::uint32_t m = 0; m < collective.size(); ++m)
        add_need(collective.ends(m), collective.begins(collective.instance().root), origin(m), block.needs);
      return;
    case WaitsFor::Peers:
      if (!collective.knows_sources()) {
        if (!certain_only && collective.rule().without_peers == WaitsFor::All) add_join(collective, block);
        return;
      }
      if (!certain_only && collective.joins_all()) return add_join(collective, block);
      for (std::uint32_t m = 0; m < collective.size(); ++m)
        collective.for_each_source(m, [&](std::uint32_t source, std::uint64_t) {
          add_need(collective.ends(m), collective.begins(source), origin(m), block.needs);
        });
      return;
    case WaitsFor::Prefix:
      return add_prefixes(collective, block);
    default:
      return;
  }
}

void WaitForGraph::add_prefixes(const Collective& collective, Joins& block) const {
  Node prefix = node(collective.begins(0));
  OpRef last = collective.begins(0);
  for (std::uint32_t m = 1; m < collective.size(); ++m) {
    const OpRef call = collective.begins(m), end = collective.ends(m);
    if (trace_.leave(end) >= trace_.enter(last)) {
      add({node(end), prefix}, {WaitsFor::Prefix, collective.place(m)}, block.needs);
    } else {
      add_later_ones(collective, m, block);
    }
    if (m + 1 == collective.size()) return;
    if (trace_.enter(call) > trace_.enter(last)) last = call;
    block.members.insert(block.members.end(), {prefix, node(call)});
    prefix = static_cast<Node>(calls() + block.last.size());
    block.ends.push_back(static_cast<std::uint32_t>(block.members.size()));
    block.last.push_back(node(last));
    block.prefixes.push_back(m + 1);
  }
}

// The times contradict that it waited for all members before it: for those that came later than it and before it
// left.
void WaitForGraph::add_later_ones(const Collective& collective, std::uint32_t member, Joins& block) const {
  for (std::uint32_t before = 0; before < member; ++before)
    if (trace_.enter(collective.begins(before)) > trace_.enter(collective.begins(member)))
      add_need(collective.ends(member), collective.begins(before),
               {WaitsFor::Prefix, collective.place(member)}, block.needs);
}

void WaitForGraph::add_join(const Collective& collective, Joins& block) const {
  OpRef last{};
  for (std::uint32_t m = 0; m < collective.size(); ++m) {
    if (!collective.gives_data(m)) continue;
    const OpRef call = collective.begins(m);
    block.members.push_back(node(call));
    if (!last.valid() || trace_.enter(call) > trace_.enter(last)) last = call;
  }
  if (!last.valid()) return;
  const auto join = static_cast<Node>(calls() + block.last.size());
  block.ends.push_back(static_cast<std::uint32_t>(block.members.size()));
  block.last.push_back(node(last));
  block.prefixes.push_back(0);
  const Time complete = trace_.enter(last);
  for (std::uint32_t m = 0; m < collective.size(); ++m) {
    if (!collective.takes(m)) continue;
    const OpRef call = collective.ends(m);
    if (contradicted_ == WaitForOptions::Contradicted::Kept || trace_.leave(call) >= complete)
      add({node(call), join}, {WaitsFor::All, collective.place(m)}, block.needs);
  }
}

void WaitForGraph::add_polls(std::span<const OpRef> polls, std::span<const Needs> of_collectives,
                             Needs& needs) const {
  if (polls.empty()) return;
  std::vector<bool> ends_one(calls());
  for (const Needs& block : of_collectives)
    for (const Need& need : block.edges) ends_one[need.call] = true;
  std::unordered_multimap<Node, Node> polls_for;
  for (const OpRef poll : polls) {
    OpRef end = poll;
    while ((is_poll(trace_.kind(end)) || trace_.kind(end) == trace_.kind(poll)) && !ends_one[node(end)] &&
           end.op + 1 < trace_.timeline(end.location).size())
      ++end.op;
    if (end.op > poll.op && ends_one[node(end)]) polls_for.emplace(node(end), node(poll));
  }
  for (const Needs& block : of_collectives) {
    for (std::size_t i = 0; i < block.edges.size(); ++i) {
      const auto [end, on] = block.edges[i];
      const Time came = trace_.enter(call(is_call(on) ? on : last_of(on)));
      for (auto [poll, last] = polls_for.equal_range(end); poll != last; ++poll)
        if (trace_.leave(call(poll->second)) >= came)
          add({poll->second, on}, keeps_origins_ ? block.origins[i] : Origin{}, needs);
    }
  }
}

void WaitForGraph::add_epochs(const SyncPoints& sync, const WaitForOptions& options, Needs& needs) const {
  for_each_epoch_need(sync, [&](const OneSidedNeed& need) {
    if (options.has(need.kind)) add_need({need.location, need.call}, need.on, {need.kind, 0}, needs);
  });
}

void WaitForGraph::sort_needs(const std::vector<Needs>& blocks) {
  // Stored one place further on than they belong: each moves to the end of the call's needs as these are
  // filled in.
  first_need_.assign(calls() + 2, 0);
  for (const Needs& needs : blocks)
    for (const Need& need : needs.edges) ++first_need_[need.call + 2];
  add_up(first_need_, "messages and parts in collective operations");
  needs_.resize(first_need_.back());
  origins_.resize(keeps_origins_ ? needs_.size() : 0);
  for (const Needs& needs : blocks) {
    for (std::size_t i = 0; i < needs.edges.size(); ++i) {
      const std::uint32_t place = first_need_[needs.edges[i].call + 1]++;
      needs_[place] = needs.edges[i].on;
      if (keeps_origins_) origins_[place] = needs.origins[i];
    }
  }
}

}  // namespace waitdiag
