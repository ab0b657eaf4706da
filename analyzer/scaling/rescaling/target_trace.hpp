// Writes the trace of the target, call by call and rank by rank, according to the laws.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <tuple>

#include "analyzer/scaling/program_laws/computation.hpp"
#include "analyzer/scaling/program_laws/dealt_tasks.hpp"
#include "analyzer/scaling/program_laws/slots.hpp"
#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag {

class TargetTrace {
 public:
  // `iterations`: how many of each run of the longest loop; 0: all.
  TargetTrace(const Study& study, const Roles& roles, const Slots& slots, Computation& computation,
              std::uint32_t iterations);
  // Tasks that are dealt: `calls` by rank, `like` of the largest run.
  void insert(const DealtRun& like, std::vector<std::vector<DealtCall>> calls);
  Trace build();

 private:
  struct Comms {
    std::vector<CommId> of_rank{};  // by world rank
    std::vector<std::vector<Rank>> members{};
    std::vector<std::size_t> which{};  // by world rank: place in members
  };
  void define_communicators();
  CallPathId copied(const Trace& trace, CallPathId path);
  RegionId enter(const Trace& trace, CallPathId path);  // at this time, on this location
  void add_rank(int rank);
  void add_dealt(int rank);
  void add_computation(CallPathId path, double ns);
  void add_gap(std::uint32_t call, int rank);
  void add_marks(const Timeline& like, std::uint32_t op, const std::vector<Computation::Piece>& pieces);
  void add_call(std::uint32_t call, int rank);
  void begin_messages(std::uint32_t call, int rank);
  void begin_collectives(std::uint32_t call, int rank);
  void do_one_sided(std::uint32_t call, int rank);
  PeerListId group_of(const OneSidedSlot& slot, int rank);
  PeerList neighbours_of(const CollectiveSlot& slot, int rank) const;
  void end_requests(std::uint32_t call);
  // By world rank, and what is sent to it or received from it.
  using Partner = std::pair<int, std::uint64_t>;
  void begin_message(std::size_t slot, int rank, const Partner& partner);
  void end_message(const MessageSlot& slot, std::uint64_t request, int rank, const Partner& partner);
  void end_collective(const CollectiveSlot& slot, std::uint64_t request, int rank);
  Rank root_of(const CollectiveSlot& slot, int rank) const;
  PeerList pairs_of(const CollectiveSlot& slot, int rank) const;

  const Study& study_;
  const Roles& roles_;
  const Slots& slots_;
  Computation& computation_;
  PeerLaws peers_;
  std::vector<std::uint32_t> calls_;                                       // of the source, in order
  std::vector<std::size_t> first_message_, first_part_, first_one_sided_;  // by call
  TraceBuilder builder_;
  CommId world_ = kNoComm;
  std::vector<Comms> comms_;  // by role
  std::map<std::pair<const Trace*, CallPathId>, CallPathId> paths_;
  std::map<std::tuple<std::string, std::string, std::uint32_t>, RegionId> regions_;

  struct Pending {
    bool collective = false;
    std::size_t slot = 0;
    std::uint64_t request = 0;
    int rank = 0;
    Partner partner{};
  };
  std::map<std::uint32_t, std::vector<Pending>> pending_;  // by the call that completes
  const DealtRun* dealt_ = nullptr;
  std::vector<std::vector<DealtCall>> dealt_calls_;  // by rank
  Location location_{};
  Time now_{};
  std::uint64_t next_request_ = 1;
};

}  // namespace waitdiag
