// Iterations of a loop, of which only a few were replayed. Times are seconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/results/fields.hpp"

namespace waitdiag {

// The first iterations are replayed; if three periods take the same time, and the recording of the others is
// similar, the others are assumed to take that time as well.
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
  double difference = 0;     // relative, at most: computation recorded in the others from that replayed

  bool multiplied_out() const { return outcome == Outcome::MultipliedOut; }
};

template <>
inline constexpr std::array kWords<SteadyIterations::Outcome> =
    std::to_array<std::string_view>({"not_tried", "multiplied_out", "differing", "unsteady"});

void fields(auto& visit, Of<SteadyIterations> auto& steady) {
  visit("iterations", steady.iterations);
  visit("replayed", steady.replayed, "where these are fewer, the rest is multiplied out");
  visit("period", steady.period, "iterations between two looks at the end of every rank");
  visit("increment_s", steady.increment_s, "of the run time, for each further iteration");
  visit("spread", steady.spread, "largest relative difference of the last three periods in any rank");
  visit("difference", steady.difference,
        "of the computation recorded in the iterations that were not replayed, relative; an upper bound");
  visit("outcome", steady.outcome, "", kLater);
}

}  // namespace waitdiag
