// One collective operation, with the rule that says who waits for whom: which of its members give something
// to others, which take something from them, and in which of their calls.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include "analyzer/trace/sync/collective_class.hpp"
#include "analyzer/trace/sync/rules.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

inline const WaitRule& rule_of(const CollectiveInstance& instance) {
  return rule_of(class_of(instance.kind));
}

class Collective {
 public:
  Collective(const Trace& trace, const SyncPoints& sync, const CollectiveInstance& instance)
      : trace_(&trace),
        instance_(&instance),
        members_(sync.members_of(instance)),
        rule_(&rule_of(instance)) {}

  const WaitRule& rule() const { return *rule_; }
  const CollectiveInstance& instance() const { return *instance_; }
  std::uint32_t size() const { return instance_->members; }
  Location location(std::uint32_t member) const { return members_[member].location; }
  bool is_root(std::uint32_t member) const { return member == instance_->root; }

  // WaitsFor::NoRank if the operation has a root, but no record says which member it is.
  WaitsFor waits_for() const {
    const WaitsFor waits = rule_->waits_for;
    const bool rooted = waits == WaitsFor::Root || waits == WaitsFor::AtRoot;
    return rooted && instance_->root == kNoMember ? WaitsFor::NoRank : waits;
  }
  // Must any member wait for another, whatever the times say?
  bool must_wait() const {
    if (rule_->waits_for == WaitsFor::Peers) return true;
    if (!rule_->promised || waits_for() == WaitsFor::NoRank || between_groups()) return false;
    return rule_->waits_for != WaitsFor::Root || gives_data(instance_->root);
  }
  bool between_groups() const { return !trace_->communicator(instance_->comm).remote_members.empty(); }

  // Its place among the members of all operations.
  std::uint32_t place(std::uint32_t member) const { return instance_->first_member + member; }

  // The call with which a member enters the operation, and the one in which it waits for the others: the same
  // unless the operation is nonblocking.
  OpRef begins(std::uint32_t member) const {
    return {location(member), operation_of(*trace_, *instance_, members_[member])};
  }
  OpRef ends(std::uint32_t member) const {
    return {location(member), completion_of(*trace_, *instance_, members_[member])};
  }
  // nullptr: the call itself is the record.
  const CollectivePart* record(std::uint32_t member) const {
    if (by_call(instance_->kind)) return nullptr;
    return &trace_->timeline(location(member)).collectives()[members_[member].part];
  }

  bool gives(std::uint32_t member) const { return waitdiag::gives(rule_->waits_for, is_root(member)); }
  bool takes(std::uint32_t member) const { return waitdiag::takes(rule_->waits_for, is_root(member)); }
  // The same, counting only members that moved at least one byte, in operations that move any.
  bool gives_data(std::uint32_t member) const {
    return gives(member) && (!rule_->moves_data || record(member)->sent > 0);
  }
  bool takes_data(std::uint32_t member) const {
    return takes(member) && (!rule_->moves_data || record(member)->received > 0);
  }

  // The members that a member has data from, including itself; none if that was not recorded. visit(member,
  // bytes).
  template <typename Visit>
  bool for_each_source(std::uint32_t member, Visit visit) const {
    const auto sources = sources_of(*trace_, *instance_, member, members_[member]);
    if (!sources) return false;
    for (const PeerRun& run : sources->runs)
      for (std::uint32_t i = sources->first + run.first; i <= sources->first + run.last; ++i)
        visit(i, run.bytes);
    return true;
  }
  bool knows_sources() const {
    for (std::uint32_t m = 0; m < size(); ++m)
      if (!sources_of(*trace_, *instance_, m, members_[m])) return false;
    return true;
  }
  // Every member has data from every other one, and none left before the last one had come: they are in the same
  // position.
  bool joins_all() const {
    Time last_enter = Time::min(), first_leave = Time::max();
    for (std::uint32_t m = 0; m < size(); ++m) {
      if (!gives_data(m) || !has_data_from_all_others(m)) return false;
      last_enter = std::max(last_enter, trace_->enter(begins(m)));
      first_leave = std::min(first_leave, trace_->leave(ends(m)));
    }
    return last_enter <= first_leave;
  }

 private:
  bool has_data_from_all_others(std::uint32_t member) const {
    const auto sources = sources_of(*trace_, *instance_, member, members_[member]);
    if (!sources || sources->first > 0) return false;
    std::uint32_t next = 0;  // all before it are covered
    for (const PeerRun& run : sources->runs) {
      if (run.first > next + (next == member ? 1 : 0)) return false;
      next = std::max(next, run.last + 1);
    }
    return next + (next == member ? 1 : 0) >= size();
  }

  const Trace* trace_;
  const CollectiveInstance* instance_;
  std::span<const CollectiveMember> members_;
  const WaitRule* rule_;
};

// The operation of the member at this place among the members of all operations.
inline const CollectiveInstance& instance_of(const SyncPoints& sync, std::uint32_t place) {
  return *std::prev(std::ranges::upper_bound(sync.collectives, place, {}, &CollectiveInstance::first_member));
}

}  // namespace waitdiag
