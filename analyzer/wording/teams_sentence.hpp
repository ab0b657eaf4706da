// The POP tree of hybrid programs, and where threads waited most.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/results/threads.hpp"

namespace waitdiag {

// Of at least one team.
std::string teams_sentence(const Teams& teams);

}  // namespace waitdiag
