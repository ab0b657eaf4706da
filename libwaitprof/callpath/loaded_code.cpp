// See loaded_code.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/loaded_code.hpp"

#include <link.h>

#include "libwaitprof/surroundings/loaded_objects.hpp"

namespace waitprof {

// The dynamic linker's list begins with what it loaded before main, itself included; dlopen appends.
// Libraries that were loaded at the start but are listed after the dynamic linker cannot be told from those
// that came later.
bool stays_loaded(std::uintptr_t code) noexcept {
  LoadedObject object;
  if (!find_loaded_object(code, object)) return false;
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    if (map == object.library) return true;
    if (map->l_addr == _r_debug.r_ldbase) return false;
  }
  return false;
}

std::uint64_t code_generation() noexcept {
  std::uint64_t unloaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* count) {
        *static_cast<std::uint64_t*>(count) = info->dlpi_subs;
        return 1;  // all objects report the same counters
      },
      &unloaded);
  return unloaded;
}

}  // namespace waitprof
