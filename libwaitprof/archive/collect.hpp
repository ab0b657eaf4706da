// What this process knows about the ids in its event files, as Definitions.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "libwaitprof/archive/clock_offsets.hpp"
#include "libwaitprof/definitions/definitions.hpp"
#include "libwaitprof/definitions/modules.hpp"

namespace waitprof::archive {

// Functions in modules that are not `at_rank_0` are named here: rank 0 may not even have the file.
Definitions collect_definitions(const LoadedModules& loaded, const std::vector<Module>& at_rank_0,
                                std::int64_t clock_offset);

}  // namespace waitprof::archive
