// MPI calls that took far longer than others of their kind although no rank was late for them: the thread
// lost its processor inside MPI, or the network was busy. Where the recording says how long another thread had
// the processor, that is enough, however often it happens. The usual time of a call that keeps its processor (for
// its size, at its place, on its rank) may make a rank late: it calls often, or moves much data. The rest is not
// attributed to any function.
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
    Duration time{};    // part of the call's own time, at its end
    Duration before{};  // the sum of all earlier ones on the location
  };

  StalledCalls() = default;  // none
  StalledCalls(const Trace& trace, const WaitStates& states);

  // The stalls of the calls [first, last) of a location.
  std::span<const Stall> of(Location location, std::uint32_t first, std::uint32_t last) const;
  Duration sum(Location location, std::uint32_t first, std::uint32_t last) const {
    const auto stalls = of(location, first, last);
    return stalls.empty() ? Duration::zero()
                          : stalls.back().before + stalls.back().time - stalls.front().before;
  }

 private:
  static constexpr std::uint32_t kBlock = 64;  // calls
  struct OfLocation {
    std::vector<Stall> stalls;
    std::vector<std::uint32_t> before_block;  // stalls before each block of calls, and of all
    const Stall* first_from(std::uint32_t op) const;
  };
  std::vector<OfLocation> by_location_;
};

}  // namespace waitdiag
