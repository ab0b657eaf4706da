// What every MPI call had to wait for: the calls of other processes that had to begin before it could end.
//
//   receive (in the call that completes it)   the send
//   send that needs its receiver              the receive's posting
//   barrier, also of threads, all-to-all,     everybody that gives something
//   scan                                      the ranks before it that came later
//   Init, Finalize
//   one-to-all: not the root                  the root
//   all-to-one: the root                      everybody that gives something
//   MPI_Win_wait                              every MPI_Win_complete of its origins
//   MPI_Win_complete, with accesses           every MPI_Win_post of its targets
//   any other call that was found waiting     the call it waited for
//
// A dependency that the times contradict (the call ended before the other began) is left out, unless the
// times are what is in doubt. The rest of a call, behind the last of what it depends on, is its own: moving
// data and the call itself.
//
//   leave = max(enter, enters of the calls it depends on) + own
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyzer/diagnosis/patterns/wait_states.hpp"

namespace waitdiag {

// visit(call, on, pattern) for every call of one-sided communication that depends on one of another process,
// and how it waits for that.
template <typename Visit>
void for_each_epoch_need(const SyncPoints& sync, Visit visit) {
  for (const ExposureEpoch& epoch : sync.exposure_epochs) {
    for (const OpRef complete : epoch.completes)
      visit(OpRef{epoch.location, epoch.wait}, complete, early_wait);
  }
  for (const AccessEpoch& epoch : sync.access_epochs) {
    if (epoch.accesses.empty()) continue;
    for (const OpRef post : epoch.posts) visit(OpRef{epoch.location, epoch.complete}, post, late_post);
  }
}

class Dependencies {
 public:
  // A node is a call, by its number over all locations, or behind them a gathering: the instant at which
  // everybody that gives something to a collective operation has entered it.
  using Node = std::uint32_t;

  enum class Contradicted : std::uint8_t { LeftOut, Kept };

  // `without`: what calls would wait for in the sense of these patterns does not hold them up.
  Dependencies(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
               Contradicted contradicted = Contradicted::LeftOut, std::span<const PatternId> without = {});

  std::size_t calls() const { return first_call_.back(); }
  std::size_t gatherings() const { return first_member_.size() - 1; }
  Node node(OpRef call) const { return first_call_[index(call.location)] + call.op; }
  OpRef call(Node node) const;
  bool is_call(Node node) const { return node < calls(); }

  // What a call depends on: calls (their enter) and gatherings.
  std::span<const Node> of_call(Node call) const {
    return std::span(needs_).subspan(first_need_[call], first_need_[call + 1] - first_need_[call]);
  }
  // The calls that make up a gathering.
  std::span<const Node> members(Node gathering) const {
    const std::size_t i = gathering - calls();
    return std::span(members_).subspan(first_member_[i], first_member_[i + 1] - first_member_[i]);
  }

  std::span<const Node> all_needs() const { return needs_; }
  std::span<const Node> all_members() const { return members_; }

  // Calls [first, last) of one location, or one gathering.
  struct Run {
    Node first = 0, last = 0;
  };
  // All nodes so that what a call depends on comes before it: a call's turn is its leave, which also settles
  // when the next call of its location is entered.
  const std::vector<Run>& order() const { return order_; }

  // The time a call took beyond what it depends on; of no use where contradicted dependencies are kept.
  Duration own(Node call) const {
    const std::uint32_t own = own_->nanoseconds[call];
    return own == OwnTimes::kLong ? own_->longer.at(call) : Duration(own);
  }
  // The own times of the same calls with other dependencies.
  void own_as_in(const Dependencies& other) { own_ = other.own_; }
  // Where the waiting of a call ended and, if it depended on somebody at that time, who that was.
  struct Release {
    Time time{};
    OpRef by{};
  };
  Release release_of(OpRef call) const;
  // When the last of the calls that it depends on was entered; Time::min() without any.
  Time latest_need(Node call) const;

 private:
  friend class DependencyOrder;
  struct Need {
    Node call, on;
  };
  bool counts(const WaitPattern& pattern) const;
  bool counts(CallKind collective) const;
  void number_calls();
  void find_needs(const SyncPoints& sync, const WaitStates& states);
  std::vector<std::vector<Need>> needs_of_messages(const SyncPoints& sync, const WaitStates& states) const;
  // Of a block of collective operations; gatherings are numbered within it.
  struct Gatherings {
    std::vector<Need> needs;
    std::vector<std::uint32_t> ends;  // by gathering: where its members end
    std::vector<Node> members;
    std::vector<Node> last;
  };
  void add_collectives(const SyncPoints& sync, std::vector<std::vector<Need>>& needs);
  void add_collective(const SyncPoints& sync, const CollectiveInstance& instance, Gatherings& block) const;
  void add_epochs(const SyncPoints& sync, std::vector<Need>& needs);
  bool gives(const CollectiveInstance& instance, const CollectiveMember& member) const;
  bool must_meet(const SyncPoints& sync, const CollectiveInstance& instance) const;
  bool add_sources(const SyncPoints& sync, const CollectiveInstance& instance,
                   std::vector<Need>& needs) const;
  void add_waits(const WaitStates& states, std::vector<Need>& needs);
  void add_need(OpRef call, OpRef on, std::vector<Need>& needs) const;
  void sort_needs(const std::vector<std::vector<Need>>& blocks);
  void find_own_times();
  // Nearly all are short: they take half the memory.
  struct OwnTimes {
    static constexpr std::uint32_t kLong = ~std::uint32_t{0};
    std::unique_ptr<std::uint32_t[]> nanoseconds;  // by call
    std::unordered_map<Node, Duration> longer{};
  };
  Node last_of(Node gathering) const { return last_[gathering - calls()]; }

  const Trace& trace_;
  Contradicted contradicted_;
  std::vector<bool> ignored_;                     // by pattern; empty: none
  std::vector<Node> first_call_;                  // by location, and one more
  std::vector<std::uint32_t> location_of_block_;  // of the first one of each block of calls, and one more
  std::vector<std::uint32_t> first_need_;         // by call, and more
  std::vector<Node> needs_;
  std::vector<std::uint32_t> first_member_{0};
  std::vector<Node> members_;
  std::vector<Node> last_;  // by gathering: the member that came last
  std::vector<Run> order_;
  std::shared_ptr<const OwnTimes> own_;
};

}  // namespace waitdiag
