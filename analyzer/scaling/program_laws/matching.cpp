// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Ends of messages by the same law, posted by the same ranks so many times.
struct EqualEnds {
  const MessageSlot* slot = nullptr;
  Presence presence{};
  std::uint64_t times = 0;

  bool like(const MessageSlot& other, const Presence& by) const {
    return slot->send == other.send && slot->tag == other.tag && slot->turn == other.turn &&
           slot->peer == other.peer && presence == by;
  }
};

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// Different for each sender, receiver and tag.
std::uint64_t mark_of(int from, int to, std::int32_t tag) {
  return mixed(mixed(static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to)) +
               static_cast<std::uint32_t>(tag));
}

bool all_matched(const Trace& trace) {
  std::uint64_t sum = 0;
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const Timeline& timeline = trace.timeline(trace.main_location(Rank(rank)));
    const int self = static_cast<int>(rank);
    for (const MessageEnd& end : timeline.sends()) sum += mark_of(self, static_cast<int>(end.peer), end.tag);
    for (const MessageEnd& end : timeline.receives())
      sum -= mark_of(static_cast<int>(end.peer), self, end.tag);
  }
  return sum == 0;
}

}  // namespace

std::uint64_t ends_in_target(const Study& study, const MessageSlot& slot, const Presence& presence) {
  std::uint64_t sum = 0;
  const Grid& grid = study.grids[slot.peer.grid].target;
  for (int rank = 0; rank < study.target.ranks; ++rank) {
    if (presence && !(*presence)[static_cast<std::size_t>(rank)]) continue;
    if (const auto peer = slot.peer.peer(rank, study.target.ranks, grid, slot.turn))
      sum += slot.send ? mark_of(rank, *peer, slot.tag) : mark_of(*peer, rank, slot.tag);
  }
  return sum;
}

void check_matching(const Study& study, const std::vector<MessageSlot>& messages,
                    const std::vector<Presence>& presence) {
  std::vector<EqualEnds> ends;
  for (const MessageSlot& slot : messages) {
    if (slot.drawn) continue;
    const Presence& by = presence[slot.call];
    auto found = std::ranges::find_if(ends, [&](const EqualEnds& known) { return known.like(slot, by); });
    if (found == ends.end()) found = ends.insert(ends.end(), {&slot, by});
    ++found->times;
  }
  std::uint64_t sum = 0;
  for (const EqualEnds& one : ends) {
    const std::uint64_t all = one.times * ends_in_target(study, *one.slot, one.presence);
    sum += one.slot->send ? all : -all;
  }
  if (sum == 0 ||
      !std::ranges::all_of(study.runs, [](const SourceRun& run) { return all_matched(*run.trace); }))
    return;
  throw TraceError(fmt::format(
      "with {} ranks, the rules that all runs follow would have messages sent that nobody receives: runs "
      "with more ranks, or with other numbers of ranks, tell more",
      study.target.ranks));
}

}  // namespace waitdiag
