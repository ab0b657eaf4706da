// Work ahead: a rank that begins its part of an exchange, computes, and only then waits has already done the
// work that the rank it waits for still has to do when it begins its own part. The wait shows only that part
// of the other rank's lateness that the work did not hide.
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

  // The call that began the location's part of the exchange that it completes in `call`: a receive, or a
  // collective. What it computed before its own last send, the other has computed before its send as well.
  std::uint32_t begin_of_receive(const Message& message) const;
  std::uint32_t begin_of_part(std::uint32_t instance, OpRef call) const;

  // Has it worked ahead of a rank whose own part began at `event`? `call` completes what began in `begin`,
  // and the call path of `begin` is the way: a rank that begins at the same place again is as far ahead.
  // kNoCallPath: no.
  CallPathId way_ahead(std::uint32_t begin, OpRef call, Time event) const;

  // By wait: how the victim had worked ahead. If there are many ways, those that led to little waiting are
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
