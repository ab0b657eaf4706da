// See import_table.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/import_table.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>

namespace waitprof {
namespace {

struct LinkageTable {
  const ElfW(Rela) * begin;
  const ElfW(Rela) * end;
  const ElfW(Sym) * symbols;
  const char* names;
};

// The dynamic linker has already turned the addresses in a mapped library's dynamic section into absolute
// ones.
LinkageTable linkage_table(const ElfW(Dyn) * entry) noexcept {
  std::uintptr_t relocations = 0, bytes = 0, symbols = 0, names = 0;
  for (; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_JMPREL:
        relocations = entry->d_un.d_ptr;
        break;
      case DT_PLTRELSZ:
        bytes = entry->d_un.d_val;
        break;
      case DT_SYMTAB:
        symbols = entry->d_un.d_ptr;
        break;
      case DT_STRTAB:
        names = entry->d_un.d_ptr;
        break;
      default:
        break;
    }
  }
  return {.begin = reinterpret_cast<const ElfW(Rela)*>(relocations),
          .end = reinterpret_cast<const ElfW(Rela)*>(relocations + bytes),
          .symbols = reinterpret_cast<const ElfW(Sym)*>(symbols),
          .names = reinterpret_cast<const char*>(names)};
}

// The slot is writable unless the library asked for full RELRO; then its page is opened for the store. It is
// not closed again: another slot of the same page may be in use by the dynamic linker.
bool store(std::uintptr_t slot, void* value) noexcept {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  if (mprotect(reinterpret_cast<void*>(slot & ~(page - 1)), page, PROT_READ | PROT_WRITE) != 0) return false;
  std::atomic_ref<void*>(*reinterpret_cast<void**>(slot)).store(value, std::memory_order_release);
  return true;
}

}  // namespace

bool replace_import(void* handle, const char* function, void* replacement) noexcept {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return false;
  const LinkageTable table = linkage_table(map->l_ld);
  for (const ElfW(Rela)* relocation = table.begin; relocation != table.end; ++relocation) {
    const ElfW(Sym)& symbol = table.symbols[ELF64_R_SYM(relocation->r_info)];
    if (std::strcmp(table.names + symbol.st_name, function) == 0)
      return store(map->l_addr + relocation->r_offset, replacement);
  }
  return false;
}

}  // namespace waitprof
