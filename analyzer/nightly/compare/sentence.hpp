// The comparison in words.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/results/comparison.hpp"

namespace waitdiag {

// Three sentences at most: how run time and efficiency changed, the cause of the largest change, and whether
// the program did different work. The figures, rows and outcome of `comparison` are already filled in.
// `runs_missing`: how many runs per side an unsure outcome lacks; 0: none.
std::string comparison_sentence(const Comparison& comparison, std::size_t runs_missing);

// The sentence to use instead where runs are incomplete: `cut_off` says which, and what is missing.
std::string incomparable_sentence(const Comparison& comparison, const std::string& cut_off);

// One sentence on what became slower (sign 1) or faster (-1): which of waiting, computing and communicating
// changed most in that direction, by how much, and which function on which ranks is the cause.
std::string reason_of_change(const Comparison& comparison, double sign);

}  // namespace waitdiag
