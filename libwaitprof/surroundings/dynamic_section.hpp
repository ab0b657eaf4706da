// What a loaded object says of itself to the dynamic linker.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <link.h>

#include <span>

namespace waitprof {

// nullptr: it has none.
inline const ElfW(Dyn) * dynamic_section_of(const dl_phdr_info& object) noexcept {
  for (const ElfW(Phdr) & part : std::span(object.dlpi_phdr, object.dlpi_phnum))
    if (part.p_type == PT_DYNAMIC) return reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + part.p_vaddr);
  return nullptr;
}

// The name that programs are linked with; "": it has none. On most processors glibc has relocated the address of the
// strings, on some it has not.
inline const char* soname_of(const ElfW(Dyn) * section, ElfW(Addr) load_bias) noexcept {
  ElfW(Addr) strings = 0, offset = 0;
  for (const ElfW(Dyn)* entry = section; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    strings = entry->d_tag == DT_STRTAB ? entry->d_un.d_ptr : strings;
    offset = entry->d_tag == DT_SONAME ? entry->d_un.d_val : offset;
  }
  if (strings == 0 || offset == 0) return "";
  return reinterpret_cast<const char*>((strings < load_bias ? strings + load_bias : strings) + offset);
}

}  // namespace waitprof
