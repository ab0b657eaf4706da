// Work ahead: who begins his part of an exchange, computes, and only then waits for it, has done what the one
// he waits for has still before him when that one begins his own part. The wait has taken away only what the
// work has not hidden of how late the other one is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/patterns/wait_states.hpp"

namespace waitdiag {

constexpr CallPathId kAnyWayAhead{index(kNoCallPath) - 1};

class WorkAhead {
 public:
  WorkAhead(const Trace& trace, const SyncPoints& sync);

  // Where the part of a location began that it completes in `call`: of a receive, of a collective. What it
  // computed before its own last send, the other one has computed before his as well.
  std::uint32_t begin_of_receive(const Message& message) const;
  std::uint32_t begin_of_part(std::uint32_t instance, OpRef call) const;

  // Has it worked ahead, of someone whose own part began at `event`? `call` completes what began in `begin`,
  // and that call's path is the way: who began at the same place again is as far ahead. kNoCallPath: no.
  CallPathId way_ahead(std::uint32_t begin, OpRef call, Time event) const;

  // By wait: how the victim had worked ahead. The ways that led to little waiting, if they are many, are
  // kAnyWayAhead.
  std::vector<CallPathId> ways_ahead(const WaitStates& states) const;

 private:
  struct Part {
    std::uint32_t instance = 0;
    Location location{};
    std::uint32_t begin = 0;
  };
  CallPathId way_ahead(const WaitState& wait) const;

  const Trace& trace_;
  const SyncPoints& sync_;
  std::vector<Part> parts_;  // of nonblocking collectives, by instance and location
};

}  // namespace waitdiag
