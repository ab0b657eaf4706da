// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/definitions/modules.hpp"

namespace waitprof::archive {

// The loaded modules as one rank should see them: its own copy of the program has the name of the program,
// and the copies of other ranks are left out.
LoadedModules modules_of_this_rank();

}  // namespace waitprof::archive
