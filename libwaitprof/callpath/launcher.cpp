// Programs of MPICH are started by the system.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/start_code.hpp"

namespace waitprof {

CodeRange code_of_launcher() noexcept {
  return {};
}

}  // namespace waitprof
