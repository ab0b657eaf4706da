// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/archive/modules.hpp"

namespace waitprof::archive {

// What is loaded, as one rank should see it: its own copy of the program goes by the name of the program,
// those of other ranks are not there.
LoadedModules modules_of_this_rank();

}  // namespace waitprof::archive
