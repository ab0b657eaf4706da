// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/match.hpp"
#include "analyzer/trace/sync/matched_receives.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "analyzer/trace/model/counts.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/misfit.hpp"

namespace waitdiag {
namespace {

struct EndRef {
  Location location{};
  std::uint32_t index = 0;
};

// The sends towards every rank: by sending rank, then in sending order.
struct SendsByReceiver {
  std::vector<std::uint32_t> first;  // by receiving rank; one more than there are ranks
  std::vector<EndRef> sends;

  SendsByReceiver(const Trace& trace, const RankLocations& locations) : first(trace.ranks() + 1, 0) {
    constexpr std::size_t kPieces = 16;                     // of the sending ranks
    std::vector<std::vector<std::uint32_t>> next(kPieces);  // by piece, then receiving rank
    const auto for_each_send = [&](std::size_t piece, const auto& visit) {
      const std::size_t last = (piece + 1) * locations.size() / kPieces;
      for (std::size_t rank = piece * locations.size() / kPieces; rank < last; ++rank) {
        for_each_in_time_order(
            locations[rank], [&](Location location) -> auto& { return trace.timeline(location).sends(); },
            [](Location, const MessageEnd& end) { return end.time; },
            [&](Location location, std::uint32_t i) {
              const MessageEnd& end = trace.timeline(location).sends()[i];
              if (!end.cancelled) visit(index(end.peer), EndRef{location, i});
            });
      }
    };
    for_each_index(kPieces, [&](std::size_t piece) {
      next[piece].assign(trace.ranks(), 0);
      for_each_send(piece, [&](std::size_t receiver, EndRef) { ++next[piece][receiver]; });
    });
    std::uint32_t place = 0;
    for (std::size_t receiver = 0; receiver < trace.ranks(); ++receiver) {
      for (auto& of_piece : next) place += std::exchange(of_piece[receiver], place);
      first[receiver + 1] = place;
    }
    sends.resize(place);
    for_each_index(kPieces, [&](std::size_t piece) {
      for_each_send(piece, [&](std::size_t receiver, EndRef send) { sends[next[piece][receiver]++] = send; });
    });
  }
  std::span<const EndRef> to(std::size_t rank) const {
    return std::span(sends).subspan(first[rank], first[rank + 1] - first[rank]);
  }
};

// Sender, communicator and tag: what must be equal for two ends to be one message. Excerpts of a run count
// too: nothing is known of messages from one to another.
struct Channel {
  Rank sender = kNoRank;
  CommId comm = kNoComm;
  std::int32_t tag = 0;
  std::uint64_t excerpt = 0;
  bool operator==(const Channel&) const = default;
};
struct ChannelHash {
  std::size_t operator()(const Channel& channel) const {
    const std::uint64_t place = std::uint64_t{index(channel.sender)} << 32 | index(channel.comm);
    return static_cast<std::size_t>(place * 0x9E3779B97F4A7C15u ^
                                    static_cast<std::uint32_t>(channel.tag) * 0xC2B2AE3D27D4EB4Fu ^
                                    channel.excerpt * 0x165667B19E3779F9u);
  }
};

std::uint64_t excerpt_of(const Timeline& timeline, const MessageEnd& end) {
  return end.posted == kNoOp ? 0 : timeline.excerpt_of(end.posted);
}

// The sends of one receiving rank, first in first out for each channel.
class Channels {
 public:
  Channels(const Trace& trace, std::span<const EndRef> sends) {
    std::vector<std::uint32_t> channel_of(sends.size());
    Channel last;
    std::uint32_t last_id = 0;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const Timeline& timeline = trace.timeline(sends[i].location);
      const MessageEnd& end = timeline.sends()[sends[i].index];
      const Channel channel{trace.rank(sends[i].location), end.comm, end.tag, excerpt_of(timeline, end)};
      if (i == 0 || channel != last) {
        last_id = ids_.try_emplace(channel, static_cast<std::uint32_t>(ids_.size())).first->second;
        last = channel;
      }
      channel_of[i] = last_id;
    }
    next_.assign(ids_.size() + 1, 0);
    for (const std::uint32_t id : channel_of) ++next_[id + 1];
    std::partial_sum(next_.begin(), next_.end(), next_.begin());
    end_.assign(next_.begin() + 1, next_.end());
    queue_.resize(sends.size());
    std::vector<std::uint32_t> place(next_.begin(), next_.end() - 1);
    for (std::size_t i = 0; i < sends.size(); ++i) queue_[place[channel_of[i]]++] = sends[i];
  }

  // The first send of the channel that no receive has taken yet; nullptr: there is none.
  const EndRef* take(const Channel& channel) {
    const auto found = ids_.find(channel);
    if (found == ids_.end() || next_[found->second] == end_[found->second]) return nullptr;
    return &queue_[next_[found->second]++];
  }
  // The sends of the channel that no receive has taken yet.
  std::span<const EndRef> waiting(const Channel& channel) const {
    const auto found = ids_.find(channel);
    if (found == ids_.end()) return {};
    return std::span(queue_).subspan(next_[found->second], end_[found->second] - next_[found->second]);
  }
  template <typename Visit>
  void for_each_left(Visit visit) const {
    for (std::size_t id = 0; id < end_.size(); ++id) {
      for (std::uint32_t i = next_[id]; i < end_[id]; ++i) visit(queue_[i]);
    }
  }

 private:
  std::unordered_map<Channel, std::uint32_t, ChannelHash> ids_;
  std::vector<std::uint32_t> next_, end_;  // by channel, places in queue_
  std::vector<EndRef> queue_;
};

// All messages to one rank.
class RankMatching {
 public:
  RankMatching(const Trace& trace, const MatchedReceives& matched) : trace_(trace), matched_(matched) {}

  void run(std::span<const EndRef> sends, const std::vector<Location>& threads) {
    Channels channels(trace_, sends);
    if (trace_.facts().numbered_excerpts) find_older(channels, threads);
    std::vector<std::optional<std::vector<std::uint32_t>>> orders;  // by thread
    for (const Location location : threads) orders.push_back(matched_.taking_order(location));
    for_each_in_time_order(
        threads, [&](Location location) -> auto& { return trace_.timeline(location).receives(); },
        [&](Location location, const MessageEnd& end) { return trace_.timeline(location).enter(end.posted); },
        [&](Location location, std::uint32_t i) {
          const auto thread =
              static_cast<std::size_t>(std::ranges::find(threads, location) - threads.begin());
          take(channels, {location, orders[thread] ? (*orders[thread])[i] : i});
        });
    channels.for_each_left([&](const EndRef& send) { lonely_send(send); });
    sort_by_completion();
  }

  std::vector<Message> messages;
  MessageMisfits misfits;

 private:
  void take(Channels& channels, const EndRef& receive) {
    const Timeline& timeline = trace_.timeline(receive.location);
    const MessageEnd& end = timeline.receives()[receive.index];
    // A receive that was never completed took no known message.
    if (end.cancelled || end.completed == kNoOp) return;
    const Channel channel{end.peer, end.comm, end.tag, excerpt_of(timeline, end)};
    const bool older = is_older(channel);
    const EndRef* const send = older ? nullptr : channels.take(channel);
    send == nullptr ? lonely_receive(receive) : pair(*send, receive);
  }

  // In an excerpt: how many of a channel's first receives took messages that were sent before the excerpt
  // began. It is the smallest number for which there are enough sends and nothing is received before it is
  // sent.
  void find_older(const Channels& channels, const std::vector<Location>& threads) {
    std::unordered_map<Channel, std::vector<Time>, ChannelHash> received;
    for_each_in_time_order(
        threads, [&](Location location) -> auto& { return trace_.timeline(location).receives(); },
        [&](Location location, const MessageEnd& end) { return trace_.timeline(location).enter(end.posted); },
        [&](Location location, std::uint32_t i) {
          const Timeline& timeline = trace_.timeline(location);
          const MessageEnd& end = timeline.receives()[i];
          if (end.cancelled || end.completed == kNoOp) return;
          received[{end.peer, end.comm, end.tag, excerpt_of(timeline, end)}].push_back(
              timeline.leave(end.completed));
        });
    for (const auto& [channel, times] : received) {
      const std::span<const EndRef> sends = channels.waiting(channel);
      std::size_t older = times.size() - std::min(times.size(), sends.size());
      while (older < times.size() && too_early(std::span(times).subspan(older), sends)) ++older;
      if (older > 0) older_.emplace(channel, older);
    }
  }
  bool too_early(std::span<const Time> received, std::span<const EndRef> sends) const {
    for (std::size_t i = 0; i < received.size(); ++i) {
      const MessageEnd& sent = trace_.timeline(sends[i].location).sends()[sends[i].index];
      if (received[i] < sent.time) return true;
    }
    return false;
  }
  bool is_older(const Channel& channel) {
    const auto found = older_.empty() ? older_.end() : older_.find(channel);
    return found != older_.end() && found->second > 0 && found->second-- > 0;
  }

  // Receives mostly complete in the order in which they were posted.
  void sort_by_completion() {
    const auto earlier = [&](const Message& a, const Message& b) {
      return std::pair(a.receiver, receive_end(trace_, a).completed) <
             std::pair(b.receiver, receive_end(trace_, b).completed);
    };
    if (!std::is_sorted(messages.begin(), messages.end(), earlier)) {
      std::stable_sort(messages.begin(), messages.end(), earlier);
    }
  }
  void lonely_send(const EndRef& send) {
    const Timeline& timeline = trace_.timeline(send.location);
    const MessageEnd& end = timeline.sends()[send.index];
    misfits.unreceived.add(trace_.rank(send.location), end.time, timeline.length(end.posted));
  }
  void lonely_receive(const EndRef& receive) {
    const Timeline& timeline = trace_.timeline(receive.location);
    const MessageEnd& end = timeline.receives()[receive.index];
    misfits.unsent.add(trace_.rank(receive.location), end.time, timeline.length(end.completed));
  }
  void pair(const EndRef& send, const EndRef& receive) {
    const Timeline& receiver = trace_.timeline(receive.location);
    const MessageEnd& sent = trace_.timeline(send.location).sends()[send.index];
    const MessageEnd& received = receiver.receives()[receive.index];
    const Rank here = trace_.rank(receive.location);
    if (received.bytes > sent.bytes) {
      misfits.bytes.add(here, received.time, receiver.length(received.completed));
    }
    if (received.time < sent.time) {
      misfits.clock.add(here, received.time, sent.time - received.time);
      misfits.clocks_of_pairs.add(trace_.rank(send.location), here, sent.time - received.time);
    }
    messages.push_back({send.location, send.index, receive.location, receive.index});
  }

  const Trace& trace_;
  const MatchedReceives& matched_;
  std::unordered_map<Channel, std::size_t, ChannelHash>
      older_;  // receives of messages from before an excerpt
};

// The messages by sending location, then in sending order.
void order_by_sender(const Trace& trace, SyncPoints& sync) {
  constexpr std::uint32_t kUnmatched = kNoOp;
  std::vector<std::vector<std::uint32_t>> message_of(trace.timelines().size());
  for_each_index(message_of.size(), [&](std::size_t l) {
    message_of[l].assign(trace.timelines()[l].sends().size(), kUnmatched);
  });
  for_each_block(sync.messages.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Message& message = sync.messages[i];
      message_of[index(message.sender)][message.send] = static_cast<std::uint32_t>(i);
    }
  });
  sync.first_sent.assign(message_of.size() + 1, 0);
  for_each_index(message_of.size(), [&](std::size_t l) {
    std::erase(message_of[l], kUnmatched);
    sync.first_sent[l + 1] = static_cast<std::uint32_t>(message_of[l].size());
  });
  add_up(sync.first_sent, "messages");
  sync.sent.resize(sync.messages.size());
  for_each_index(message_of.size(), [&](std::size_t l) {
    std::copy(message_of[l].begin(), message_of[l].end(), sync.sent.begin() + sync.first_sent[l]);
    std::vector<std::uint32_t>().swap(message_of[l]);
  });
}

}  // namespace

void match_messages(const Trace& trace, const RankLocations& locations, SyncPoints& sync) {
  const MatchedReceives matched(trace);
  std::vector<RankMatching> ranks(locations.size(), RankMatching(trace, matched));
  {
    const SendsByReceiver sends(trace, locations);
    for_each_index(ranks.size(), [&](std::size_t rank) { ranks[rank].run(sends.to(rank), locations[rank]); });
  }
  MessageMisfits misfits;
  sync.first_received.assign(trace.timelines().size() + 1, 0);
  for (RankMatching& rank : ranks) {
    for (const Message& message : rank.messages) ++sync.first_received[index(message.receiver) + 1];
    misfits.merge(rank.misfits);
  }
  add_up(sync.first_received, "messages");
  sync.messages.resize(sync.first_received.back());
  for_each_index(ranks.size(), [&](std::size_t rank) {
    std::vector<Message>& messages = ranks[rank].messages;
    for (auto first = messages.begin(); first != messages.end();) {
      const Location receiver = first->receiver;
      const auto last = std::find_if(first, messages.end(),
                                     [&](const Message& message) { return message.receiver != receiver; });
      std::copy(first, last, sync.messages.begin() + sync.first_received[index(receiver)]);
      first = last;
    }
    std::vector<Message>().swap(messages);
  });
  order_by_sender(trace, sync);
  sync.clock_pairs = misfits.clocks_of_pairs.rows();
  misfits.report(trace, sync.anomalies);
}

}  // namespace waitdiag
