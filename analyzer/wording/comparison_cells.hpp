// The figures of a comparison in words: the cells that its tables share.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/results/comparison.hpp"

namespace waitdiag {

std::string format_figure(double value, Comparison::Unit unit);
std::string change_cell(const Comparison::Figure& figure);  // "+12.3 %", points of a share; "" if unchanged
std::string spread_cell(const Comparison::Figure& figure);  // "+1.2 s .. +1.9 s, p 0.008"; "" for one run
std::string time_cell(double seconds, double below);        // "9.40 s"; "< 420 ms" where only that is known
std::string by_cell(const Comparison::Change& change);      // "+9.40 s"
std::string side_label(const Comparison::Side& side, const char* dot);

}  // namespace waitdiag
