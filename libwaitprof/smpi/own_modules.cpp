// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/smpi/own_modules.hpp"

#include <cstring>
#include <span>

#include "libwaitprof/smpi/job.hpp"

namespace waitprof::archive {
namespace {

// True if segments and notes are the same; the notes include the build id.
bool is_same_file(const dl_phdr_info& a, const dl_phdr_info& b) {
  if (a.dlpi_phnum != b.dlpi_phnum ||
      std::memcmp(a.dlpi_phdr, b.dlpi_phdr, a.dlpi_phnum * sizeof *a.dlpi_phdr) != 0) {
    return false;
  }
  for (const ElfW(Phdr) & header : std::span(a.dlpi_phdr, a.dlpi_phnum)) {
    const auto* const here = reinterpret_cast<const void*>(a.dlpi_addr + header.p_vaddr);
    const auto* const there = reinterpret_cast<const void*>(b.dlpi_addr + header.p_vaddr);
    if (header.p_type == PT_NOTE && std::memcmp(here, there, header.p_memsz) != 0) {
      return false;
    }
  }
  return true;
}

bool is_own_copy(const dl_phdr_info& module) {
  static const OwnCopy own = own_copy();
  const auto begin = reinterpret_cast<std::uintptr_t>(own.begin);
  return module.dlpi_addr <= begin && begin < reinterpret_cast<std::uintptr_t>(own.end) &&
         reinterpret_cast<std::uintptr_t>(module.dlpi_phdr) - begin <
             reinterpret_cast<std::uintptr_t>(own.end) - begin;
}

const dl_phdr_info& own_module() {
  static const dl_phdr_info own = [] {
    dl_phdr_info found{};
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
          if (!is_own_copy(*info)) {
            return 0;
          }
          *static_cast<dl_phdr_info*>(data) = *info;
          return 1;
        },
        &found);
    return found;
  }();
  return own;
}

std::string path_for_this_rank(const dl_phdr_info& module) {
  if (is_own_copy(module)) {
    return this_job().program;
  }
  if (is_same_file(module, own_module())) {
    return "";
  }
  const auto [entry, is_new] = this_job().module_paths.try_emplace(module.dlpi_name);
  if (is_new) {
    entry->second = LoadedModules::loaded_path(module);
  }
  return entry->second;
}

}  // namespace

LoadedModules modules_of_this_rank() {
  own_module();  // before the walk over the list of modules, which locks it
  return LoadedModules::of_this_process(path_for_this_rank);
}

}  // namespace waitprof::archive
