// What happens at the calls of every location, as far as it concerns knowledge of others: messages sent and
// received, collectives, waits, signals of one-sided communication; each in calling order, so that a location
// can be followed from any call on.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/diagnosis/intervals/epochs.hpp"
#include "analyzer/diagnosis/intervals/one_sided_signals.hpp"

namespace waitdiag {

class SyncSteps {
 public:
  SyncSteps(const Trace& trace, const SyncPoints& sync, const WaitStates& states, const Epochs& epochs);

  struct AtCall {
    std::uint32_t op = 0;
    std::uint32_t id = 0;
  };
  // All collectives of a location except the ends of epochs, where it started and where it completed them;
  // those in which every member needs data of only some others, by member; the waits that it caused; and
  // signals, as indices in signals().
  std::span<const AtCall> collectives(Location location) const { return collectives_.of(location); }
  std::span<const AtCall> completed(Location location) const { return completed_.of(location); }
  std::span<const AtCall> by_sources(Location location) const { return by_sources_.of(location); }
  std::span<const AtCall> caused(Location location) const { return caused_.of(location); }
  std::span<const AtCall> told(Location location) const { return told_.of(location); }
  std::span<const AtCall> heard(Location location) const { return heard_.of(location); }

  const std::vector<Signal>& signals() const { return signals_; }
  // Where the signals that a location receives begin among all.
  std::uint32_t first_heard(std::size_t location) const { return heard_.first[location]; }

 private:
  struct Columns {
    std::vector<std::uint32_t> first;  // by location; one more than there are locations
    std::vector<AtCall> steps;
    std::span<const AtCall> of(Location location) const {
      const std::uint32_t begin = first[index(location)];
      return std::span(steps).subspan(begin, first[index(location) + 1] - begin);
    }
  };
  // for_each(visit) calls visit(location, step) for every step, always in the same order.
  template <typename ForEach>
  static Columns columns(std::size_t locations, ForEach for_each);

  std::vector<Signal> signals_;
  Columns collectives_, completed_, by_sources_, caused_, told_, heard_;
};

// Follows one location from call to call, over those at which anything happens.
class LocationSteps {
 public:
  // Starts after the enter of call `start` (kNoOp: before the first call).
  LocationSteps(const Trace& trace, const SyncPoints& sync, const WaitStates& states, const SyncSteps& steps,
                Location location, std::uint32_t start);

  bool is_over() const { return op_ == kNoOp; }
  std::uint32_t op() const { return op_; }
  bool entered() const { return entered_; }  // what happens at its enter has been handled
  void enter() { entered_ = true; }
  void leave();  // on to the next call

  // What happens at the current call; messages and waits by their numbers.
  template <typename Visit>
  void for_each_send(Visit visit) const {
    for (std::size_t i = send_; i < sends_.size() && send_op(i) == op_; ++i) visit(sends_[i]);
  }
  template <typename Visit>
  void for_each_receive(Visit visit) const {
    for (std::size_t i = receive_; i < receives_.size() && receive_op(i) == op_; ++i) {
      visit(first_message_ + static_cast<std::uint32_t>(i));
    }
  }
  template <typename Visit>
  void for_each_collective(Visit visit) const {
    for (std::size_t i = collective_; i < collectives_.size() && collectives_[i].op == op_; ++i)
      visit(collectives_[i].id);
  }
  template <typename Visit>
  void for_each_completed(Visit visit) const {
    for (std::size_t i = complete_; i < completed_.size() && completed_[i].op == op_; ++i)
      visit(completed_[i].id);
  }
  template <typename Visit>
  void for_each_by_sources(Visit visit) const {
    for (std::size_t i = source_; i < by_sources_.size() && by_sources_[i].op == op_; ++i)
      visit(by_sources_[i].id);
  }
  template <typename Visit>
  void for_each_wait(Visit visit) const {
    for (std::size_t i = wait_; i < waits_.size() && waits_[i].victim.op == op_; ++i) {
      visit(first_wait_ + static_cast<std::uint32_t>(i));
    }
  }
  template <typename Visit>
  void for_each_caused(Visit visit) const {
    for (std::size_t i = caused_wait_; i < caused_.size() && caused_[i].op == op_; ++i) visit(caused_[i].id);
  }

  template <typename Visit>
  void for_each_told(Visit visit) const {
    for (std::size_t i = tell_; i < told_.size() && told_[i].op == op_; ++i) visit(told_[i].id);
  }
  template <typename Visit>
  void for_each_heard(Visit visit) const {
    for (std::size_t i = hear_; i < heard_.size() && heard_[i].op == op_; ++i) visit(heard_[i].id);
  }

  // The next message received here, the next wait suffered here, the next signal received here.
  std::uint32_t next_message() const { return first_message_ + static_cast<std::uint32_t>(receive_); }
  std::uint32_t next_wait() const { return first_wait_ + static_cast<std::uint32_t>(wait_); }
  std::uint32_t next_signal() const { return first_signal_ + static_cast<std::uint32_t>(hear_); }

 private:
  std::uint32_t send_op(std::size_t i) const { return sent_->posted(sync_->messages[sends_[i]].send); }
  std::uint32_t receive_op(std::size_t i) const { return received_->completed(receives_[i].receive); }
  void find_next();

  const SyncPoints* sync_;
  const MessageColumn *sent_, *received_;
  std::span<const std::uint32_t> sends_;
  std::span<const Message> receives_;
  std::span<const SyncSteps::AtCall> collectives_, completed_, by_sources_, caused_, told_, heard_;
  std::span<const WaitState> waits_;
  std::uint32_t first_message_, first_wait_, first_signal_;
  std::size_t send_ = 0, receive_ = 0, collective_ = 0, complete_ = 0, source_ = 0, wait_ = 0,
              caused_wait_ = 0, tell_ = 0, hear_ = 0;
  std::uint32_t op_ = kNoOp;
  bool entered_ = false;
};

}  // namespace waitdiag
