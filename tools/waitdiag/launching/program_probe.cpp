// What a program's file shows about how it can be recorded.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/program_probe.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>
#include <string_view>
#include <utility>

namespace waitdiag::tool {
namespace {

// Prefixes of the names of MPI libraries, the more specific ones first.
constexpr std::array<std::pair<std::string_view, MpiLibrary>, 9> kMpiLibraries{
    {{"libmpich", MpiLibrary::Mpich},
     {"libmpi.so.12", MpiLibrary::Mpich},
     {"libmpifort.so.12", MpiLibrary::Mpich},
     {"libmpi_gnu_", MpiLibrary::Mpich},
     {"libmpi_cray", MpiLibrary::Mpich},
     {"libmpi.so.", MpiLibrary::OpenMpi},
     {"libmpi_mpifh.so.", MpiLibrary::OpenMpi},
     {"libmpi_usempi", MpiLibrary::OpenMpi},
     {"libmpi_abi", MpiLibrary::Other}}};

MpiLibrary mpi_of(std::string_view library) {
  const auto* const found =
      std::find_if(kMpiLibraries.begin(), kMpiLibraries.end(),
                   [library](const auto& known) { return library.starts_with(known.first); });
  return found == kMpiLibraries.end() ? MpiLibrary::None : found->second;
}

// The MPI libraries that the program's loader would load, directly or for its other libraries.
std::vector<std::string> mpi_libraries_behind(const std::string& loader, const std::string& file) {
  const auto quoted = [](const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
  };
  std::vector<std::string> libraries;
  const std::string command =
      "env -u LD_PRELOAD " + quoted(loader) + " --list " + quoted(file) + " 2>/dev/null </dev/null";
  FILE* const listing = popen(command.c_str(), "r");
  if (listing == nullptr) return libraries;
  std::array<char, 4096> line{};
  while (fgets(line.data(), line.size(), listing) != nullptr) {
    std::istringstream words(line.data());
    if (std::string name; words >> name && mpi_of(name) != MpiLibrary::None) libraries.push_back(name);
  }
  pclose(listing);
  return libraries;
}

std::string loader_of(Elf* elf) {
  std::size_t segments = 0;
  if (elf_getphdrnum(elf, &segments) != 0) return "";
  for (std::size_t i = 0; i < segments; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr || segment.p_type != PT_INTERP) continue;
    Elf_Data* const data =
        elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment.p_offset), segment.p_filesz, ELF_T_BYTE);
    if (data != nullptr && data->d_size > 0) return {static_cast<const char*>(data->d_buf), data->d_size - 1};
  }
  return "";
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

// Names that Fortran compilers use: mpi_send_, mpi_send__ and MPI_SEND; mpi_send_f08_ and mpi_send_f08ts_.
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

void read_elf(int descriptor, const std::string& file, ProgramProbe& probe) {
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
  if (probe.dynamic && mpi_library(probe) == MpiLibrary::None) {
    if (const std::string loader = probe.elf ? loader_of(elf) : ""; !loader.empty())
      for (std::string& name : mpi_libraries_behind(loader, file)) probe.libraries.push_back(std::move(name));
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
  read_elf(descriptor, file, probe);
  close(descriptor);
  if (probe.holds_mpi) probe.defines.clear();
  std::sort(probe.defines.begin(), probe.defines.end());
  probe.defines.erase(std::unique(probe.defines.begin(), probe.defines.end()), probe.defines.end());
  return probe;
}

std::string mpi_library_name(const ProgramProbe& probe) {
  const auto found = std::find_if(probe.libraries.begin(), probe.libraries.end(),
                                  [](const std::string& name) { return mpi_of(name) != MpiLibrary::None; });
  return found == probe.libraries.end() ? "" : *found;
}

MpiLibrary mpi_library(const ProgramProbe& probe) {
  return mpi_of(mpi_library_name(probe));
}

}  // namespace waitdiag::tool
