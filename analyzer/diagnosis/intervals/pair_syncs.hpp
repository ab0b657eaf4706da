// All direct synchronisations of pairs of locations, to find the last one before a given wait:
//
//   late sender, late receiver    the two ends of the message
//   late post, early wait, locks  the call that waited and the one it waited for
//   barrier, all-to-all           all with all, if all were inside at the same time
//   all-to-one                    the same; else the root with the last one, if the root came before it
//   one-to-all                    the root with all that came before it
//   Init, Finalize                everybody with everybody
// Messages without a wait do not synchronise here: that is the classical rule.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"

namespace waitdiag {

class PairSyncs {
 public:
  PairSyncs(const Trace& trace, const SyncPoints& sync, const WaitStates& states);

  // One side of a synchronisation: the call, the time between its enter and the synchronising record, and the
  // time that it still took after its partner had left.
  struct Side {
    std::uint32_t op = kNoOp;
    Duration before{}, completion{};
  };
  struct Both {
    Side mine, theirs;
  };
  // The last synchronisation of two locations in which both calls lie before the given ones.
  std::optional<Both> last_before(OpRef mine, OpRef theirs) const;

 private:
  struct Direct {
    Location me{}, other{};
    Both sides;
  };
  struct Group {
    std::vector<Rank> members;
    std::vector<std::uint32_t> instances;  // in order
  };
  void add(OpRef first, Side first_side, OpRef second, Side second_side);
  void add_message(const WaitState& wait);
  void add_between_calls(const WaitState& wait);
  void add_collective(std::uint32_t instance);
  Side side_of(const CollectiveInstance& instance, const CollectiveMember& member, Time first_end) const;
  std::optional<Both> last_direct(OpRef mine, OpRef theirs) const;
  std::optional<Both> last_in_group(const Group& group, OpRef mine, OpRef theirs) const;

  const Trace& trace_;
  const SyncPoints& sync_;
  std::vector<Direct> direct_;                         // both ways, by (me, other), then my operation
  std::vector<Group> groups_;                          // by communicator
  std::vector<std::vector<std::uint32_t>> groups_of_;  // by rank
};

}  // namespace waitdiag
