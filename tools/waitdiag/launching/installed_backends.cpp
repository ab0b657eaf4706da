// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/installed_backends.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace waitdiag::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "waitprof_built_for";  // libwaitprof/backends/backend.cpp

// "0.1.0 for MPICH 4.0.2", or "".
std::string mark_in(Elf* elf) {
  std::size_t names = 0;
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0) return "";
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* const name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || name != kMark) continue;
    const Elf_Data* const data = elf_getdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return "";
    const std::string_view text(static_cast<const char*>(data->d_buf), data->d_size);
    return std::string(text.substr(0, text.find('\0')));
  }
  return "";
}

InstalledBackend look_at(const fs::path& file) {
  InstalledBackend backend{.file = file, .mpi = {}, .version = {}};
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return backend;
  elf_version(EV_CURRENT);
  Elf* const elf = elf_begin(descriptor, ELF_C_READ, nullptr);
  const std::string mark = mark_in(elf);
  elf_end(elf);
  close(descriptor);
  constexpr std::string_view kBetween = " for ";
  if (const std::size_t place = mark.find(kBetween); place != std::string::npos) {
    backend.version = mark.substr(0, place);
    backend.mpi = mark.substr(place + kBetween.size());
  }
  return backend;
}

bool is_backend(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.rfind("libwaitprof-", 0) == 0 && file.extension() == ".so";
}

}  // namespace

std::vector<InstalledBackend> installed_backends(const fs::path& directory) {
  std::vector<InstalledBackend> backends;
  std::error_code trouble;
  for (const auto& entry : fs::directory_iterator(directory, trouble))
    if (is_backend(entry.path()) && entry.is_regular_file(trouble)) backends.push_back(look_at(entry.path()));
  std::sort(backends.begin(), backends.end(),
            [](const InstalledBackend& a, const InstalledBackend& b) { return a.file < b.file; });
  return backends;
}

}  // namespace waitdiag::tool
