// POP's efficiencies of several runs side by side: how much is lost with more ranks, and to what.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "analyzer/results/report.hpp"
#include "analyzer/results/scaling.hpp"

namespace waitdiag {

// Adds them to `scaling`; reports in any order; several of one size count as their mean.
void add_efficiencies(std::span<const Report> reports, ScalingReport& scaling);

}  // namespace waitdiag
