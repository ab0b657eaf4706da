// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/characteristics/message_profile.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace waitdiag {
namespace {

constexpr std::uint64_t kSmallest = 64, kFactor = 4, kLargest = 4 << 20;
constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

std::vector<MessageProfile::SizeInterval> all_sizes() {
  std::vector<MessageProfile::SizeInterval> sizes{{0, 0}, {0, kSmallest}};
  for (std::uint64_t bytes = kSmallest; bytes < kLargest; bytes *= kFactor)
    sizes.push_back({bytes, bytes * kFactor});
  sizes.push_back({kLargest, kNoEnd});
  return sizes;
}

Layer layer_between(const Trace& trace, Rank from, Rank to) {
  const LocationInfo& sender = trace.place_of(from);
  const LocationInfo& receiver = trace.place_of(to);
  if (sender.node.empty() || receiver.node.empty()) return Layer::Unknown;
  if (sender.node != receiver.node) return Layer::OtherNode;
  const bool bound = sender.package != LocationInfo::kAnyPlace;
  return from == to || (bound && sender.package == receiver.package) ? Layer::SameChip : Layer::SameNode;
}

class Count {
 public:
  explicit Count(const Trace& trace)
      : trace_(trace), sizes_(all_sizes()), communicators_(trace.communicators().size()) {}

  void add_sends() {
    for (std::uint32_t l = 0; l < trace_.timelines().size(); ++l) {
      const Rank from = trace_.rank(Location(l));
      for (const MessageEnd& send : trace_.timelines()[l].sends())
        if (!send.cancelled) add(from, send);
    }
  }

  void add_collectives(const SyncPoints& sync, const WaitStates& states) {
    for (const CollectiveInstance& instance : sync.collectives) {
      if (by_call(instance.kind) || instance.comm == kNoComm) continue;
      auto& comm = communicators_[index(instance.comm)];
      ++comm.collectives;
      for (const CollectiveMember& member : sync.members_of(instance)) {
        const CollectivePart& part = trace_.timeline(member.location).collectives()[member.part];
        comm.collective_bytes += part.sent;
        comm.collective_time += part.end - part.begin;
      }
    }
    for (const WaitState& wait : states.waits) {
      if (pattern(wait.pattern).on_collective == nullptr) continue;
      const CollectiveInstance& instance = sync.collectives[wait.sync];
      if (by_call(instance.kind) || instance.comm == kNoComm) continue;
      communicators_[index(instance.comm)].waiting += wait.wait;
    }
  }

  MessageProfile result() {
    MessageProfile profile;
    for (const auto& [ranks, count] : pairs_) profile.pairs.push_back({ranks.first, ranks.second, count});
    for (std::size_t comm = 0; comm < communicators_.size(); ++comm) {
      communicators_[comm].comm = CommId(comm);
      if (communicators_[comm].count.messages + communicators_[comm].collectives > 0)
        profile.communicators.push_back(communicators_[comm]);
    }
    const auto used = [](const MessageProfile::SizeInterval& interval) {
      return std::any_of(interval.by_layer.begin(), interval.by_layer.end(),
                         [](const MessageCount& count) { return count.messages > 0; });
    };
    const auto first = std::find_if(sizes_.begin(), sizes_.end(), used);
    const auto last = std::find_if(sizes_.rbegin(), sizes_.rend(), used).base();
    if (first < last) profile.sizes.assign(first, last);
    return profile;
  }

 private:
  void add(Rank from, const MessageEnd& send) {
    const auto interval = std::find_if(
        sizes_.begin(), sizes_.end(),
        [&](const MessageProfile::SizeInterval& candidate) { return send.bytes <= candidate.up_to_bytes; });
    interval->by_layer[static_cast<std::size_t>(layer_between(trace_, from, send.peer))].add(send.bytes);
    pairs_[{from, send.peer}].add(send.bytes);
    if (send.comm != kNoComm) communicators_[index(send.comm)].count.add(send.bytes);
  }

  const Trace& trace_;
  std::vector<MessageProfile::SizeInterval> sizes_;
  std::vector<MessageProfile::OnCommunicator> communicators_;
  std::map<std::pair<Rank, Rank>, MessageCount> pairs_;
};

}  // namespace

MessageProfile message_profile(const Trace& trace, const SyncPoints& sync, const WaitStates& states) {
  Count count(trace);
  count.add_sends();
  count.add_collectives(sync, states);
  return count.result();
}

}  // namespace waitdiag
