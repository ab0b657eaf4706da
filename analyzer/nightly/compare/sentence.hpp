// The comparison in words.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/results/comparison.hpp"

namespace waitdiag {

// Three sentences at most: what became of run time and efficiency, of what changed most the cause, and
// whether the program did other work. Figures, rows and outcome of the comparison are there. `runs_missing`:
// runs a side that an unsure outcome lacks; 0: none.
std::string comparison_sentence(const Comparison& comparison, std::size_t runs_missing);

// Instead, where runs lack a part of themselves: `cut_off` says which, and what.
std::string incomparable_sentence(const Comparison& comparison, const std::string& cut_off);

// One sentence on what became slower (sign 1) or faster (-1): of waiting, computing and communicating the one
// that changed most in that direction, by how much, and which function on which ranks is the cause.
std::string reason_of_change(const Comparison& comparison, double sign);

}  // namespace waitdiag
