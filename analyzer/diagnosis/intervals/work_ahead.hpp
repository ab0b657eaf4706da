// Work ahead: a rank that begins its part of an exchange, computes, and only then waits has already done the
// work that the rank it waits for still has to do when it begins its own part. The wait shows only that part
// of the other rank's lateness that the work did not hide.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"

namespace waitdiag {

constexpr CallPathId kAnyWayAhead{index(kNoCallPath) - 1};

class WorkAhead {
 public:
  WorkAhead(const Trace& trace, const SyncPoints& sync);

  // The call that began the location's part of the exchange that it completes in `call`: a receive, or a
  // collective. What it computed before its own send, the other has computed before its send as well. That is its
  // last one; of two locations that send each other equally many, the one in the same turn: behind it, who completes
  // receives late has already done what belongs to the next turn.
  std::uint32_t begin_of_receive(const Message& message) const;
  std::uint32_t begin_of_part(std::uint32_t instance, OpRef call) const;

  // Has it worked ahead of a rank whose own part began at `event`? `call` completes what began in `begin`,
  // and the call path of `begin` is the way: a rank that begins at the same place again is as far ahead.
  // kNoCallPath: no.
  CallPathId way_ahead(std::uint32_t begin, OpRef call, Time event) const;
  CallPathId way_ahead(const WaitState& wait) const;  // of the victim

  // By wait: how the victim had worked ahead. If there are many ways, those that led to little waiting are
  // kAnyWayAhead.
  std::vector<CallPathId> ways_ahead(const WaitStates& states) const;

 private:
  struct Part {
    std::uint32_t instance = 0;
    Location location{};
    std::uint32_t begin = 0;
  };
  void count_turns();
  // The call that sent the other one what belongs to the same turn, among these sends; none: it is not known.
  std::optional<std::uint32_t> send_of_turn(const Message& message,
                                            std::span<const std::uint32_t> sent) const;
  std::uint32_t sent(Location from, Location to) const;

  const Trace& trace_;
  const SyncPoints& sync_;
  std::vector<Part> parts_;  // of nonblocking collectives, by instance and location
  struct Partner {
    Location to{};
    std::uint32_t messages = 0;
  };
  std::vector<std::vector<Partner>> partners_;  // by location, in their order
  std::vector<std::uint32_t> turns_;            // by message: the how many-th of its sender to its receiver
};

}  // namespace waitdiag
