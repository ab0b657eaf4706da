// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/message_partners.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "analyzer/scaling/program_laws/matching.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// The messages that one call sends, or receives, with one tag; no rule gives their partners.
struct WithoutRule {
  std::vector<MessageRecords> records{};
  RecordedGraph graph{};
  TraceError why;
};

RecordedGraph graph_of(const std::vector<MessageRecords>& records) {
  RecordedGraph graph{.instances = records.front().instances};
  graph.edges.resize(graph.instances.size());
  for (const MessageRecords& one : records)
    for (std::size_t i = 0; i < one.peers.size(); ++i)
      for (std::size_t rank = 0; rank < one.peers[i].size(); ++rank) {
        const int peer = one.peers[i][rank], self = static_cast<int>(rank);
        if (peer < 0) continue;
        graph.edges[i][one.send ? std::pair(self, peer) : std::pair(peer, self)].push_back(
            one.bytes[i][rank]);
      }
  return graph;
}

bool same_messages(const RecordedGraph& sent, const RecordedGraph& received) {
  return std::ranges::equal(
             sent.instances, received.instances, {},
             [](const Instance& one) { return std::pair(one.run, one.turn.number); },
             [](const Instance& one) { return std::pair(one.run, one.turn.number); }) &&
         std::ranges::equal(sent.edges, received.edges, [](const GraphEdges& a, const GraphEdges& b) {
           return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
             return one.first == other.first && one.second.size() == other.second.size();
           });
         });
}

// One record for all of them: the mean bytes of each instance.
MessageRecords means_of(const Study& study, const WithoutRule& messages) {
  MessageRecords all = messages.records.front();
  for (std::size_t i = 0; i < all.bytes.size(); ++i) {
    const GraphEdges& edges = messages.graph.edges[i];
    std::ranges::fill(all.bytes[i], edges.empty() ? kAbsent : mean_bytes(edges));
  }
  // Who has no partner is in the communicator all the same.
  for (std::size_t run = 0; run < all.comms.size(); ++run)
    for (const MessageRecords& one : messages.records)
      for (std::size_t rank = 0; rank < one.comms[run].size(); ++rank) {
        if (one.comms[run][rank] == kNoComm) continue;
        all.comms[run][rank] = one.comms[run][rank];
        for (const Rank member : study.runs[run].trace->communicator(one.comms[run][rank]).members)
          if (CommId& used = all.comms[run][index(member)]; used == kNoComm) used = one.comms[run][rank];
      }
  return all;
}

class PartnerSearch {
 public:
  PartnerSearch(const Study& study, Roles& roles, PeerLaws& peers)
      : study_(study), roles_(roles), peers_(peers), draws_(study) {}

  MessagePartners run(std::vector<MessageRecords> records) {
    for (auto from = records.begin(); from != records.end();) {
      const auto to = std::find_if(from, records.end(), [&](const MessageRecords& one) {
        return std::tie(one.call, one.send, one.tag) != std::tie(from->call, from->send, from->tag);
      });
      add({std::make_move_iterator(from), std::make_move_iterator(to)});
      from = to;
    }
    draw();
    return std::move(found_);
  }

 private:
  // Messages that one call posts with the same tag are taken in order, or, where that has no law, by partner.
  void add(std::vector<MessageRecords> together) {
    const auto find_all = [&] {
      std::vector<MessageSlot> found;
      for (const MessageRecords& one : together) found.push_back(by_rule(one));
      return found;
    };
    std::vector<MessageSlot> found;
    try {
      found = find_all();
    } catch (const TraceError& first) {
      try {
        if (together.size() < 2) throw;
        std::vector<MessageRecords> sorted = sort_by_partner(study_, together);
        together.swap(sorted);
        found = find_all();
      } catch (const TraceError& error) {
        if (study_.draw == 0) throw;
        RecordedGraph graph = graph_of(together);
        without_rule_.push_back({std::move(together), std::move(graph), error});
        return;
      }
    }
    std::ranges::move(found, std::back_inserter(found_.slots));
    std::ranges::move(together, std::back_inserter(found_.records));
  }

  MessageSlot slot_of(const MessageRecords& one) {
    return {.call = one.call,
            .completed = one.completed,
            .send = one.send,
            .any_source = one.any_source,
            .tag = one.tag,
            .role = roles_.role_of(one.comms)};
  }
  MessageSlot by_rule(const MessageRecords& one) {
    MessageSlot slot = slot_of(one);
    // A law that gives the other ends of messages that have none so far is more than one that holds by chance.
    const auto other_end = [&](const PeerLaw& law) {
      MessageSlot candidate = slot;
      candidate.peer = law;
      return std::ranges::find(single_ends_, single_end(candidate, !slot.send)) != single_ends_.end();
    };
    const bool any = std::ranges::any_of(
        single_ends_, [&](const SingleEnd& end) { return end.tag == slot.tag && end.send != slot.send; });
    slot.peer = peers_.find(one.instances, one.peers, study_.sequence.names[one.call],
                            any ? PeerLaws::Fits(other_end) : nullptr);
    const auto found = std::ranges::find(single_ends_, single_end(slot, !slot.send));
    if (found != single_ends_.end())
      single_ends_.erase(found);
    else
      single_ends_.push_back(single_end(slot, slot.send));
    return slot;
  }

  // Of messages for whose other ends no law is known so far.
  struct SingleEnd {
    std::int32_t tag = 0;
    bool send = false;
    std::vector<std::uint64_t> ends{};  // of the first turns
    bool operator==(const SingleEnd&) const = default;
  };
  SingleEnd single_end(MessageSlot slot, bool send) const {
    constexpr int kTurns = 3;
    SingleEnd end{slot.tag, send, {}};
    const GrowingLoop* const loop = study_.sequence.loop(slot.call);
    const int turns = loop == nullptr ? 1 : loop->in_target;
    for (int turn = 0; turn < std::min(turns, kTurns); ++turn) {
      slot.turn = {turn, turns};
      end.ends.push_back(ends_in_target(study_, slot, nullptr));
    }
    return end;
  }

  void draw() {
    std::vector<bool> is_received(without_rule_.size());
    for (std::size_t s = 0; s < without_rule_.size(); ++s) {
      const WithoutRule& sent = without_rule_[s];
      if (!sent.records.front().send) continue;
      std::size_t r = 0;
      const auto receives = [&](std::size_t at) {
        const WithoutRule& other = without_rule_[at];
        return !other.records.front().send && !is_received[at] &&
               other.records.front().tag == sent.records.front().tag &&
               same_messages(sent.graph, other.graph);
      };
      while (r < without_rule_.size() && !receives(r)) ++r;
      if (r == without_rule_.size()) throw TraceError(sent.why);
      is_received[s] = is_received[r] = true;
      const DrawnGraph graph = draws_.draw(sent.graph);
      add_drawn(sent, graph.to);
      add_drawn(without_rule_[r], graph.from);
    }
    for (std::size_t at = 0; at < without_rule_.size(); ++at)
      if (!is_received[at]) throw TraceError(without_rule_[at].why);
  }

  void add_drawn(const WithoutRule& messages, std::shared_ptr<const DrawnPartners> partners) {
    MessageRecords means = means_of(study_, messages);
    MessageSlot& slot = found_.slots.emplace_back(slot_of(means));
    slot.drawn = std::move(partners);
    found_.records.push_back(std::move(means));
  }

  const Study& study_;
  Roles& roles_;
  PeerLaws& peers_;
  PartnerDraws draws_;
  std::vector<WithoutRule> without_rule_;
  std::vector<SingleEnd> single_ends_;
  MessagePartners found_;
};

}  // namespace

MessagePartners find_partners(const Study& study, Roles& roles, PeerLaws& peers,
                              std::vector<MessageRecords> records) {
  return PartnerSearch(study, roles, peers).run(std::move(records));
}

}  // namespace waitdiag
