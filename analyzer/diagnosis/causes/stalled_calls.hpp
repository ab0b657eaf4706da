// MPI calls that took far longer than others of their kind, and nobody was late for them: the thread lost its
// processor inside of MPI, or the network was busy. What a call takes usually (for its size, at its place, on
// its rank) may make a rank late: it calls often, or moves much. The rest is no function's fault.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/diagnosis/patterns/wait_states.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

class StalledCalls {
 public:
  struct Stall {
    std::uint32_t op = 0;
    Duration time{};    // of its own time, at its end
    Duration before{};  // of all earlier ones of the location
  };

  StalledCalls() = default;  // none
  StalledCalls(const Trace& trace, const WaitStates& states);

  // Of the calls [first, last) of a location.
  std::span<const Stall> of(Location location, std::uint32_t first, std::uint32_t last) const;
  Duration sum(Location location, std::uint32_t first, std::uint32_t last) const {
    const auto stalls = of(location, first, last);
    return stalls.empty() ? Duration::zero()
                          : stalls.back().before + stalls.back().time - stalls.front().before;
  }

 private:
  std::vector<std::vector<Stall>> by_location_;
};

}  // namespace waitdiag
