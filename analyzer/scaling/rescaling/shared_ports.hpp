// What shares ports of the network with more others in the predicted run than in any recorded one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "analyzer/scaling/program_laws/slots.hpp"
#include "analyzer/scaling/rank_laws/roles.hpp"
#include "analyzer/simulation/machine/machine.hpp"

namespace waitdiag {

// By how many doublings groups have more members in the target than in any run, if several communicate at the same time, or
// each member sends to all others.
double larger_groups(const Roles& roles, const Slots& slots);

// By how many doublings more units (nodes, chips ...) share one port of the machine with `ranks` than with `recorded` ranks.
double more_on_a_port(const Machine& machine, std::size_t recorded, std::size_t ranks);

}  // namespace waitdiag
