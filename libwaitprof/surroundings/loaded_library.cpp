// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/loaded_library.hpp"

#include <dlfcn.h>

#include <cstring>
#include <span>

namespace waitprof {
namespace {

// On most processors glibc has relocated the address of the strings, on some it has not. "": it has no such name.
const char* soname_of(const dl_phdr_info& object) noexcept {
  ElfW(Addr) strings = 0, offset = 0;
  for (const ElfW(Phdr) & part : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    if (part.p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + part.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
      if (entry->d_tag == DT_SONAME) offset = entry->d_un.d_val;
    }
  }
  if (strings == 0 || offset == 0) return "";
  return reinterpret_cast<const char*>((strings < object.dlpi_addr ? strings + object.dlpi_addr : strings) +
                                       offset);
}

int has_name(dl_phdr_info* object, std::size_t, void* data) noexcept {
  const char* const name = static_cast<const char*>(data);
  return std::strcmp(file_name(object->dlpi_name), name) == 0 || std::strcmp(soname_of(*object), name) == 0
             ? 1
             : 0;
}

}  // namespace

void* handle_of_loaded(const char* name) noexcept {
  if (dl_iterate_phdr(has_name, const_cast<char*>(name)) == 0) return nullptr;
  return dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
}

}  // namespace waitprof
