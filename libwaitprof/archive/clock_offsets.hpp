// How far this rank's clock is from rank 0's. Ranks on one machine share the clock: no measurement, no noise.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "libwaitprof/archive/ranks.hpp"
#include "libwaitprof/definitions/clock_offset.hpp"

namespace waitprof::archive {

class ClockOffsets {
 public:
  // Collective: who shares a clock with whom.
  void connect(const Ranks& ranks);
  void disconnect() noexcept;

  // Collective. One rank of each machine measures and tells the others there.
  ClockOffset measure() noexcept;

  // Called in between by all ranks at about the same time, which is not relied upon. Ranks that measure give
  // up for the rest of the run when another one does not answer within a second. False: it has just given up.
  bool measure_again() noexcept;

  // Whether this rank should call measure_again(): it measures, there is another clock, and no rank has given
  // up.
  bool can_measure_again() const noexcept {
    return clocks_ > 1 && !gave_up_ && count_ + kAtTheEnds < measured_.size();
  }

  // Collective, at the end: all that was measured, the last time now.
  std::span<const ClockOffset> finish() noexcept;

 private:
  static constexpr std::size_t kMostOffsets = 4096, kAtTheEnds = 2;

  void add(const ClockOffset& clock) noexcept { measured_[count_++] = clock; }

  MPI_Comm same_ = MPI_COMM_NULL;     // the ranks of this clock
  MPI_Comm leaders_ = MPI_COMM_NULL;  // one rank for each clock, on those
  int clocks_ = 1;                    // known to those
  int comparisons_ = 0;
  bool gave_up_ = false;
  std::array<ClockOffset, kMostOffsets> measured_{};  // memory for more may be missing at the end
  std::size_t count_ = 0;
};

}  // namespace waitprof::archive
