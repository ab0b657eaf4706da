// MPI calls that took far longer than others of their kind although no rank was late for them: the thread
// lost its processor inside MPI, or the network was busy. Where the recording says how long another thread had
// the processor, that is time of "(processor taken away)", as outside of MPI, however often it happens. The usual
// time of a call that keeps its processor (for its size, at its place, on its rank) may make a rank late: it calls
// often, or moves much data. The rest is not attributed to any function.
//
//   [~~~~ waiting ~~~~| usual time |-- not known --|== processor taken away ==]
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

class StalledCalls {
 public:
  struct Times {
    Duration all{};
    Duration taken{};  // of that, another thread had the processor: the last part
    Duration unknown() const { return all - taken; }
    // No more of it than this, at its end.
    Times last(Duration most) const { return {std::min(all, most), std::min(taken, most)}; }
    friend Times operator+(Times a, Times b) { return {a.all + b.all, a.taken + b.taken}; }
    friend Times operator-(Times a, Times b) { return {a.all - b.all, a.taken - b.taken}; }
  };
  struct Stall {
    std::uint32_t op = 0;
    Times time{};    // part of the call's own time, at its end
    Times before{};  // the sum of all earlier ones on the location
  };

  StalledCalls() = default;  // none
  StalledCalls(const Trace& trace, const WaitStates& states);

  // The stalls of the calls [first, last) of a location.
  std::span<const Stall> of(Location location, std::uint32_t first, std::uint32_t last) const;
  Times sum(Location location, std::uint32_t first, std::uint32_t last) const {
    const auto stalls = of(location, first, last);
    return stalls.empty() ? Times() : stalls.back().before + stalls.back().time - stalls.front().before;
  }
  // The call path of what is taken; kNoCallPath: nothing is.
  CallPathId taken_path() const { return taken_path_; }

 private:
  static constexpr std::uint32_t kBlock = 64;  // calls
  struct OfLocation {
    std::vector<Stall> stalls;
    std::vector<std::uint32_t> before_block;  // stalls before each block of calls, and of all
    const Stall* first_from(std::uint32_t op) const;
  };
  std::shared_ptr<const std::vector<OfLocation>> by_location_;  // nullptr: none
  CallPathId taken_path_ = kNoCallPath;
};

}  // namespace waitdiag
