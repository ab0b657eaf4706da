// The figures by which runs are compared.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/results/comparison.hpp"

namespace waitdiag {

struct FigureOf {
  const char *id, *title;
  Comparison::Unit unit;
  double (*value)(const Report&);  // NaN where undefined
};

// Times and shares first, then counts of what the program asked of MPI.
const std::vector<FigureOf>& figures_compared();

}  // namespace waitdiag
