// main() of a simulated rank is called by SimGrid.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <simgrid/engine.h>

#include "libwaitprof/callpath/start_code.hpp"

namespace waitprof {

CodeRange code_of_launcher() noexcept {
  return object_around(reinterpret_cast<const void*>(&simgrid_get_clock));
}

}  // namespace waitprof
