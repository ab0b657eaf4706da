// Several values of one parameter of the machine, or of its computing speed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/simulation/prediction/scenario.hpp"

namespace waitdiag {

struct SweepParameter;

// What to sweep: `count` values, evenly spaced.
struct SweepRequest {
  const SweepParameter* parameter = nullptr;
  std::string name{};   // with its level, as in "latency@core"
  std::string level{};  // empty: the outermost one, where the parameter is of a level
  double first = 0, last = 0;
  int count = 0;
};

// "latency=1us..10us/5", "bandwidth@core=1GB/s..8GB/s/4". Throws std::invalid_argument for any other text.
SweepRequest parse_sweep(const std::string& text);

// The names of what can be swept, with commas between them.
std::string sweep_parameters();

struct Sweep {
  struct Point {
    double value = 0;
    std::string label{};
    Scenario scenario{};
  };
  bool computation = false;  // the scenarios differ in computation
  double current = 0;        // value without the sweep; infinite: no limit
  std::vector<Point> points{};
};

// Parameters that count something are rounded. Throws TraceError for one that the scenario's machine does not have.
Sweep make_sweep(const SweepRequest& request, const Scenario& scenario);

}  // namespace waitdiag
