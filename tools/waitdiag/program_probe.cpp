// What the file of a program tells about how it could be recorded.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/program_probe.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

namespace waitdiag::tool {
namespace {

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

void read_elf(int descriptor, ProgramProbe& probe) {
  elf_version(EV_CURRENT);
  Elf* elf = elf_begin(descriptor, ELF_C_READ, nullptr);
  probe.elf = elf != nullptr && elf_kind(elf) == ELF_K_ELF;
  for (Elf_Scn* section = nullptr; probe.elf && (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNAMIC) continue;
    probe.dynamic = true;
    read_libraries(elf, section, header, probe);
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
  return probe;
}

}  // namespace waitdiag::tool
