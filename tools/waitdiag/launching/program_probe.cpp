// What the file of a program tells about how it could be recorded.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/program_probe.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace waitdiag::tool {
namespace {

bool any_library(const ProgramProbe& probe, std::string_view prefix) {
  return std::any_of(probe.libraries.begin(), probe.libraries.end(), [prefix](const std::string& name) {
    return std::string_view(name).starts_with(prefix);
  });
}

void read_libraries(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ProgramProbe& probe) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const int entries = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < entries; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, i, &entry) == nullptr || entry.d_tag != DT_NEEDED) continue;
    if (const char* name = elf_strptr(elf, header.sh_link, entry.d_un.d_val))
      probe.libraries.emplace_back(name);
  }
}

// The Fortran compilers' names: mpi_send_, mpi_send__ and MPI_SEND; mpi_send_f08_ and mpi_send_f08ts_.
void note_call(std::string_view name, ProgramProbe& probe) {
  constexpr std::size_t kFirstLetter = 4;
  if (name.starts_with("mpi_")) {
    (name.find("_f08") == std::string_view::npos ? probe.calls_fortran : probe.calls_f08) = true;
  } else if (name.starts_with("MPI_") && name.size() > kFirstLetter + 1) {
    const char second = name[kFirstLetter + 1];
    (second >= 'a' && second <= 'z' ? probe.calls_c : probe.calls_fortran) = true;
  }
}

void note_symbol(std::string_view name, const GElf_Sym& symbol, ProgramProbe& probe) {
  if (symbol.st_shndx == SHN_UNDEF) return note_call(name, probe);
  if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC) return;
  probe.holds_mpi = probe.holds_mpi || name == "PMPI_Init";
  if (name.starts_with("MPI_")) probe.defines.emplace_back(name);
}

void read_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ProgramProbe& probe) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const int entries = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < entries; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr) continue;
    if (const char* name = elf_strptr(elf, header.sh_link, symbol.st_name)) note_symbol(name, symbol, probe);
  }
}

void read_section(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, std::string_view name,
                  ProgramProbe& probe) {
  if (header.sh_type == SHT_DYNAMIC) {
    probe.dynamic = true;
    read_libraries(elf, section, header, probe);
  }
  probe.symbols = probe.symbols || header.sh_type == SHT_SYMTAB;
  if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) read_symbols(elf, section, header, probe);
  probe.lines = probe.lines || name == ".debug_line" || name == ".zdebug_line";
}

void read_elf(int descriptor, ProgramProbe& probe) {
  elf_version(EV_CURRENT);
  Elf* elf = elf_begin(descriptor, ELF_C_READ, nullptr);
  probe.elf = elf != nullptr && elf_kind(elf) == ELF_K_ELF;
  std::size_t names = 0;
  const bool named = probe.elf && elf_getshdrstrndx(elf, &names) == 0;
  for (Elf_Scn* section = nullptr; probe.elf && (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = named ? elf_strptr(elf, names, header.sh_name) : nullptr;
    read_section(elf, section, header, name == nullptr ? "" : name, probe);
  }
  elf_end(elf);
}

}  // namespace

ProgramProbe probe_program(const std::string& file) {
  ProgramProbe probe;
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return probe;
  struct stat facts {};
  probe.privileged = fstat(descriptor, &facts) == 0 && (facts.st_mode & (S_ISUID | S_ISGID)) != 0;
  read_elf(descriptor, probe);
  close(descriptor);
  if (probe.holds_mpi) probe.defines.clear();
  std::sort(probe.defines.begin(), probe.defines.end());
  probe.defines.erase(std::unique(probe.defines.begin(), probe.defines.end()), probe.defines.end());
  return probe;
}

bool uses_mpich(const ProgramProbe& probe) {
  return any_library(probe, "libmpich") || any_library(probe, "libmpi.so.12");
}

bool uses_other_mpi(const ProgramProbe& probe) {
  return !uses_mpich(probe) && (any_library(probe, "libmpi.so") || any_library(probe, "libmpi_"));
}

}  // namespace waitdiag::tool
