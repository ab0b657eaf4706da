// Several values of one parameter of the machine, or of its computing speed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/simulation/prediction/scenario.hpp"

namespace waitdiag::tool {

struct Sweep {
  std::string parameter;
  bool computation = false;  // the scenarios differ in computation
  double current = 0;        // value without the sweep; infinite: no limit
  struct Point {
    double value = 0;
    std::string label;
    Scenario scenario;
  };
  std::vector<Point> points;  // none: no sweep was asked for
};

// "latency=1us..10us/5", "bandwidth@core=1GB/s..8GB/s/4": this many values, evenly spaced. Parameters that
// count something are rounded. Throws UsageError, also for parameters that the scenario's machine does not
// have.
Sweep make_sweep(const std::string& text, const Scenario& scenario);

// What can be swept, for --help.
std::string sweep_parameters();

}  // namespace waitdiag::tool
