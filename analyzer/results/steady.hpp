// Iterations of a loop of which a few were replayed. Times are seconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace waitdiag {

// The first iterations are replayed; if three periods take the same time, and what was recorded of the others
// is like them, the others are taken to do so, too.
struct SteadyIterations {
  enum class Outcome : std::uint8_t {
    NotTried,  // no loop is long enough, or the user wants all
    MultipliedOut,
    Differing,  // the recorded iterations differ too much
    Unsteady,   // no three periods took the same time
  };
  Outcome outcome = Outcome::NotTried;
  std::uint32_t iterations = 1, replayed = 1;
  std::uint32_t period = 1;  // iterations
  double increment_s = 0;    // of the run time, for each further iteration
  double spread = 0;         // largest difference of the last three periods in any rank, relative
  double difference = 0;  // of the computation recorded in the others from that replayed, relative, at most

  bool multiplied_out() const { return outcome == Outcome::MultipliedOut; }
};

}  // namespace waitdiag
