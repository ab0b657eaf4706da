// Who cannot go on without whom, by the rules of MPI and OpenMP.
//
//   this call cannot be left       before that one has been entered        kind of edge
//   ------------------------       ---------------------------------       ------------
//   receive, or what completes it  the send, or what started it            Message
//   send, or what completes it,    the receive, or what posted it          Rendezvous (conditional: it
//     if it needs its receiver                                               depends on the machine)
//   barrier, all-to-all,           everybody that gives something          All
//     MPI_Init, MPI_Finalize ...
//   broadcast, scatter: others     the root                                Root
//   reduce, gather: the root       everybody that gives something          AtRoot
//   scan                           everybody before it                     Prefix
//   alltoallv, neighbourhood       everybody it has data from              Peers
//   MPI_Win_complete, if the       every MPI_Win_post of its targets       Post
//     origin accessed anything
//   MPI_Win_wait                   every MPI_Win_complete of its origins   Complete
//   lock epoch                     the unlock of who held it before        Lock
//   barrier of threads             every thread of the team                All
//   passive target operation       the target's next call, if it came      Progress (conditional)
//                                    back only then
//   MPI_Probe                      the send of the message it finds        Probe
//   row of tests                   the send of the last message received   Poll
//   row of tests for a send        the posting of the receive              PolledSend (conditional)
//   row of looks into a window     the call with which a rank wrote there  Signal (conditional)
//   rooted operation: others       the member of its tree that came last   Tree (conditional)
//   join of a thread               the end of that thread                  Thread
//   absence of a thread            the call that starts it                 Thread
//
// kCollectiveRules has the rows of collective operations. No record joins the two calls of the last rows:
// they are edges where detection found a wait.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "analyzer/trace/model/definitions.hpp"

namespace waitdiag {

enum class WaitsFor : std::uint8_t {
  NoRank,
  Message,
  Rendezvous,
  All,
  Root,
  AtRoot,
  Prefix,
  Peers,
  Post,
  Complete,
  Lock,
  Progress,
  Probe,
  Poll,
  PolledSend,
  Signal,
  Tree,
  Thread
};

struct WaitRule {
  CallKind of = CallKind::OtherMpi;
  WaitsFor waits_for = WaitsFor::NoRank;
  // What is known where the lists of peers are missing.
  WaitsFor without_peers = WaitsFor::NoRank;
  // A member that gives no bytes is not waited for. False: the call itself is what synchronises.
  bool moves_data = true;
  // MPI guarantees the wait. False: implementations usually wait, which only the times show.
  bool promised = false;
  // The class whose wait names are used, where this one has none of its own.
  CallKind like = of;
};

inline constexpr std::array kCollectiveRules = {
    // clang-format off
    //             class of operation          waits for          without peers     moves data  promised  like
    WaitRule{CallKind::Barrier,          WaitsFor::All,     WaitsFor::NoRank, false,      true},
    WaitRule{CallKind::AllToAll,         WaitsFor::All,     WaitsFor::NoRank, true,       true},
    WaitRule{CallKind::AllToAllVariable, WaitsFor::Peers,   WaitsFor::All,    true,       true, CallKind::AllToAll},
    WaitRule{CallKind::Neighbourhood,    WaitsFor::Peers,   WaitsFor::NoRank, true,       true},
    WaitRule{CallKind::OneToAll,         WaitsFor::Root,    WaitsFor::NoRank, true,       true},
    WaitRule{CallKind::AllToOne,         WaitsFor::AtRoot,  WaitsFor::NoRank, true,       true},
    WaitRule{CallKind::Scan,             WaitsFor::Prefix,  WaitsFor::NoRank, true,       false},
    WaitRule{CallKind::WinFence,         WaitsFor::All,     WaitsFor::NoRank, false,      false},
    WaitRule{CallKind::WinCollective,    WaitsFor::All,     WaitsFor::NoRank, false,      false},
    WaitRule{CallKind::CommConstruct,    WaitsFor::All,     WaitsFor::NoRank, false,      false},
    WaitRule{CallKind::FileCall,         WaitsFor::All,     WaitsFor::NoRank, false,      false},
    WaitRule{CallKind::Init,             WaitsFor::All,     WaitsFor::NoRank, false,      false},
    WaitRule{CallKind::Finalize,         WaitsFor::All,     WaitsFor::NoRank, false,      false},
    WaitRule{CallKind::ThreadBarrier,    WaitsFor::All,     WaitsFor::NoRank, false,      true},
    // clang-format on
};

// The index into kCollectiveRules by class of operation; its size: no member waits.
inline constexpr auto kRulePlaces = [] {
  std::array<std::uint8_t, static_cast<std::size_t>(CallKind::ThreadSync) + 1> places{};
  places.fill(kCollectiveRules.size());
  for (std::size_t i = 0; i < kCollectiveRules.size(); ++i)
    places[static_cast<std::size_t>(kCollectiveRules[i].of)] = static_cast<std::uint8_t>(i);
  return places;
}();
inline constexpr WaitRule kNoRankWaits{};

constexpr const WaitRule& rule_of(CallKind kind) {
  const std::size_t place = kRulePlaces[static_cast<std::size_t>(kind)];
  return place < kCollectiveRules.size() ? kCollectiveRules[place] : kNoRankWaits;
}

// All members are in the same position: each waits for the last one that gives something.
constexpr bool all_wait_for_all(CallKind kind) {
  return rule_of(kind).waits_for == WaitsFor::All;
}

// Did a wait that took that long end soon after what ended it: does the rest take at most a quarter of it?
inline bool is_soon(Duration rest, Duration waited) {
  return 4 * rest <= waited;
}

// Do others wait for a member, and does it wait?
constexpr bool gives(WaitsFor kind, bool is_root) {
  if (kind == WaitsFor::Root) return is_root;
  return kind != WaitsFor::AtRoot || !is_root;
}
constexpr bool takes(WaitsFor kind, bool is_root) {
  if (kind == WaitsFor::Root) return !is_root;
  return kind != WaitsFor::AtRoot || is_root;
}

}  // namespace waitdiag
