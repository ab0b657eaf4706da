// How often the check would raise a false alarm on this machine: runs of the store compared with each other.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "analyzer/nightly/check/settings.hpp"
#include "analyzer/nightly/check/store.hpp"

namespace waitdiag {

struct SelfTest {
  std::uint64_t nights = 0, runs = 0;        // of the largest series of one fingerprint, at its latest level
  std::uint64_t known_nights = 0;            // of CheckSettings
  std::uint64_t night_alarms = 0;            // each night judged against all others: these are REGRESSION
  std::uint64_t draws = 0, draw_alarms = 0;  // a night drawn at random from all runs, against the others
  struct Planted {
    double slower = 0;         // share by which the drawn night is made slower
    std::uint64_t found = 0;   // of `draws`
    std::uint64_t unsure = 0;  // found worth a look: INCONCLUSIVE
  };
  std::vector<Planted> planted{};  // in run time
};

// Without any series, all is zero. Draws are repeatable: the same store gives the same result.
SelfTest self_test(const std::vector<Store>& series, const CheckSettings& settings);

// Writes the result in words, with the conclusions that the number of nights allows.
void write_self_test(const SelfTest& test, std::ostream& out);

}  // namespace waitdiag
