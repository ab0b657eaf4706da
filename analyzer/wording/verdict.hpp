// The whole report in one sentence: how well the run used its cores, what the waiting costs, what caused most
// of it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/results/report.hpp"

namespace waitdiag {

enum class Health : std::uint8_t { Good, Fair, Bad };

struct Verdict {
  std::string sentence;
  Health health = Health::Good;
};

Verdict verdict(const Report& report);

// Seriously incomplete or contradictory data: the figures may be wrong.
bool data_doubtful(const Report& report);

}  // namespace waitdiag
