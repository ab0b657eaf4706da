// Messages and collective operations of a program, call by call, with the laws that give them for any number
// of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "analyzer/scaling/program_laws/neighbour_laws.hpp"
#include "analyzer/scaling/program_laws/one_sided_laws.hpp"
#include "analyzer/scaling/program_laws/pair_law.hpp"
#include "analyzer/scaling/program_laws/roots.hpp"
#include "analyzer/scaling/quantity_laws/size_law.hpp"
#include "analyzer/scaling/rank_laws/drawn_partners.hpp"
#include "analyzer/scaling/rank_laws/presence.hpp"
#include "analyzer/scaling/rank_laws/roles.hpp"

namespace waitdiag {

// One end of a message that a call posts, in some ranks of some runs; or of all messages with a tag that it posts, where
// their partners are drawn.
struct MessageSlot {
  std::uint32_t call = 0, completed = 0;
  Turn turn{};
  bool send = false;
  bool any_source = false;  // received so
  std::int32_t tag = 0;
  std::size_t role = 0;
  PeerLaw peer{};
  std::shared_ptr<const DrawnPartners> drawn{};  // then there is no law
  std::shared_ptr<const SizeLaw> bytes{};        // of drawn partners: the mean
};

struct CollectiveSlot {
  std::uint32_t call = 0, completed = 0;
  Turn turn{};
  CollectiveKind kind = CollectiveKind::Other;
  std::size_t role = 0;
  RootLaw root{};
  std::shared_ptr<const SizeLaw> sent{}, received{};
  std::shared_ptr<const PairLaw> pairs{};
  std::vector<NeighbourLaw> to{}, from{};  // of neighbourhood operations
  // kNoRank: it has none. `members`: of the communicator.
  Rank root_among(const std::vector<Rank>& members) const;
};

struct Slots {
  std::vector<MessageSlot> messages{};        // by call
  std::vector<CollectiveSlot> collectives{};  // by call
  std::vector<OneSidedSlot> one_sided{};      // by call
  std::vector<std::size_t> used_grids{};
  std::vector<Presence> presence{};  // by call: which ranks make it
  std::uint64_t drawn = 0;           // messages of all ranks of the target whose partners are drawn
  std::uint64_t inexact = 0;         // of them have sizes that are not an exact multiple of any factor
};

// Throws TraceError for anything without a law.
Slots find_slots(const Study& study, Roles& roles);

// By call: the same number for calls that do the same with the same partners.
std::vector<std::uint32_t> keys_of(const CallSequence& sequence, const Slots& slots);

}  // namespace waitdiag
