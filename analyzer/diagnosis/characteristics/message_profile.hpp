// The messages of a run: number and volume by size interval and by layer (Xu et al., MCPSim: figures 12 and
// 13), by pair of ranks and by communicator.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"

namespace waitdiag {

struct MessageCount {
  std::uint64_t messages = 0, bytes = 0;
  void add(std::uint64_t size) {
    ++messages;
    bytes += size;
  }
};

// How far a message goes. SameNode: to another chip, or the chip is not known (ranks that are not bound).
enum class Layer : std::uint8_t { Unknown, SameChip, SameNode, OtherNode };
constexpr std::size_t kLayers = 4;

struct MessageProfile {
  // Sizes (above_bytes, up_to_bytes]; the first interval holds empty messages only, the last one has no end.
  struct SizeInterval {
    std::uint64_t above_bytes = 0, up_to_bytes = 0;
    std::array<MessageCount, kLayers> by_layer{};
  };
  struct Pair {
    Rank from{}, to{};
    MessageCount count{};
  };
  struct OnCommunicator {
    CommId comm = kNoComm;
    MessageCount count{};
    std::uint64_t collectives = 0;
    std::uint64_t collective_bytes = 0;     // given by all members
    Duration collective_time{}, waiting{};  // core time in collectives; of that, time spent waiting
  };
  std::vector<SizeInterval> sizes;            // only those between the smallest and the largest message
  std::vector<Pair> pairs;                    // only pairs that exchanged anything; by sender, then receiver
  std::vector<OnCommunicator> communicators;  // only those that were used; in the order of the trace
};

MessageProfile message_profile(const Trace& trace, const SyncPoints& sync, const WaitStates& states);

}  // namespace waitdiag
