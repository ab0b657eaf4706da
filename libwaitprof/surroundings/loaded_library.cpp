// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/loaded_library.hpp"

#include <dlfcn.h>

#include <cstring>

#include "libwaitprof/surroundings/dynamic_section.hpp"

namespace waitprof {
namespace {

int has_name(dl_phdr_info* object, std::size_t, void* data) noexcept {
  const char* const name = static_cast<const char*>(data);
  return std::strcmp(file_name(object->dlpi_name), name) == 0 ||
                 std::strcmp(soname_of(dynamic_section_of(*object), object->dlpi_addr), name) == 0
             ? 1
             : 0;
}

}  // namespace

void* handle_of_loaded(const char* name) noexcept {
  if (dl_iterate_phdr(has_name, const_cast<char*>(name)) == 0) return nullptr;
  return dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
}

}  // namespace waitprof
