// A wait pattern: one rule that says how long a call did nothing but wait for another process, with the words
// that explain it to a user. Rules are pure: they take one message or one collective and return durations.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/trace/model/definitions.hpp"
#include "analyzer/trace/model/time.hpp"
#include "analyzer/trace/sync/rules.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// One MPI call, as far as a rule needs it.
struct CallTimes {
  Time enter{}, leave{};
  CallKind kind = CallKind::OtherMpi;
};

// One message. For blocking calls, the call that posted an end and the one that completed it are the same.
struct MessageView {
  CallTimes send;             // started the send
  CallTimes send_completion;  // where the sender waited for its end; enter == leave if it never did
  CallTimes receive_request;  // posted the receive
  CallTimes receive;          // completed the receive
  SendMode mode = SendMode::Standard;
  std::uint64_t bytes = 0;
};

// One process in a collective operation. A nonblocking one begins in one call and waits in another.
struct Participant {
  Time begin{};       // its data is there
  Time waits_from{};  // == begin when it blocks; == end if it only tested
  Time end{};
  bool sends = true, receives = true;  // moved at least one byte; always true in barriers, Init and Finalize
  Sources sources{};                   // only for operations whose blocks differ
  // Nonblocking: when it was in MPI again, up to the call that completed it; the last of these times.
  std::span<const Time> returns{};
  // Blocking, in parts (sync/parts_of_call.hpp): those calls of this timeline. Otherwise none.
  const Timeline* timeline = nullptr;
  std::uint32_t first_part = 0, parts = 0;
};

struct CollectiveView {
  std::span<const Participant> participants;  // in communicator rank order
  std::uint32_t root = 0;                     // meaningful in rooted operations only
  bool by_sources = false;                    // participants need data only from their sources
  // Nonblocking: how long such operations take once all are in MPI again, and whether they need that.
  Duration usual_end{};
  bool needs_all = false;
};

struct CollectiveWait {
  std::uint32_t victim = 0, cause = 0;  // participants
  Duration wait{};
  static constexpr std::uint32_t kBegin = ~std::uint32_t{0};
  std::uint32_t of_return = 0;  // which of the cause's returns ended the wait, if one did; kBegin: its begin
  std::uint32_t part = 0;       // of the victim's call, if it has any: the one that this ended
};

using MessageRule = Duration (*)(const MessageView&);  // zero or less: no wait
using CollectiveRule = void (*)(const CollectiveView&,
                                std::vector<CollectiveWait>& found);  // appends, also zeros

struct WaitPattern {
  std::string_view id;             // as in every output
  std::string_view part_of{};      // id of the pattern that it refines, which already includes its time
  std::string_view title;          // the name a user knows
  std::string_view summary;        // what happened, one sentence
  std::string_view advice;         // what to check, one sentence
  std::string_view rule;           // the formula
  bool waiting = true;             // part of the waiting time; completions and refinements are only listed
  bool outside_mpi = false;        // in calls that are not MPI calls
  bool tells_cause = false;        // nothing but the wait itself tells the victim what the cause did
  bool in_scalasca = true;         // also detected with --rules scalasca
  bool scalasca_explains = false;  // Scalasca looks for the causes of these
  std::string_view other_half{};   // id of the pattern that has the rest of the same waits
  WaitsFor waits_for = WaitsFor::NoRank;  // for waits that no rule of collective operations covers
  CallKind at = CallKind::OtherMpi;       // collective rules: the class of operation they apply to
  MessageRule on_message = nullptr;
  CollectiveRule on_collective = nullptr;
};

// Messages and collective operations represent these waits in the wait-for graph, whether or not a wait was
// found.
constexpr bool is_in_graph(const WaitPattern& pattern) {
  if (pattern.on_collective == nullptr)
    return pattern.waits_for == WaitsFor::Message || pattern.waits_for == WaitsFor::Rendezvous;
  if (pattern.waits_for == WaitsFor::Tree) return false;
  const WaitsFor waits = rule_of(pattern.at).waits_for;
  return waits == WaitsFor::All || waits == WaitsFor::Root || waits == WaitsFor::AtRoot;
}

}  // namespace waitdiag
