// Which library an address is in.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>
#include <link.h>

namespace waitprof {

// nullptr: in none that is loaded.
inline const link_map* library_of(void* address) noexcept {
  dl_find_object found{};
  return _dl_find_object(address, &found) == 0 ? found.dlfo_link_map : nullptr;
}

}  // namespace waitprof
