// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/crash_safe/seen_modules.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>

#include "libwaitprof/crash_safe/build_id.hpp"
#include "libwaitprof/memory/id_table.hpp"
#include "libwaitprof/memory/memory.hpp"

namespace waitprof {
namespace {

constexpr std::uint32_t kMostSeen = 1U << 12;
constinit IdTable<SeenModule> seen_modules{kMostSeen};

// A module's first page holds its ELF header and the program headers.
std::span<const ElfW(Phdr)> program_headers(std::uintptr_t begin) noexcept {
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(begin);
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    return {};
  }
  return {reinterpret_cast<const ElfW(Phdr)*>(begin + header->e_phoff), header->e_phnum};
}

// The dynamic linker frees what it has with the library. nullptr: there is no memory.
template <class T>
const T* copy_of_bytes(const T* from, std::size_t count) noexcept {
  T* const copy = allocate_array_forever<T>(std::max<std::size_t>(count, 1));
  return copy == nullptr ? nullptr : static_cast<const T*>(std::memcpy(copy, from, count * sizeof(T)));
}

}  // namespace

std::span<const std::byte> build_id_of(const LoadedObject& object) noexcept {
  for (const ElfW(Phdr) & segment : program_headers(object.begin)) {
    if (segment.p_type == PT_NOTE) {
      const auto* notes = reinterpret_cast<const std::byte*>(object.load_bias + segment.p_vaddr);
      const auto build_id = find_build_id({notes, segment.p_memsz}, segment.p_align);
      if (!build_id.empty()) {
        return build_id;
      }
    }
  }
  return {};
}

void see_module_of(std::uintptr_t address) noexcept {
  LoadedObject found;
  if (!seen_modules.ready() || !find_loaded_object(address, found)) {
    return;
  }
  const auto same = [&found](const SeenModule& known) {
    return known.begin == found.begin && known.end == found.end && std::strcmp(known.name, found.path) == 0;
  };
  if (seen_modules.find(found.begin, same) != 0 || seen_modules.count() == kMostSeen) {
    return;
  }
  const std::span<const std::byte> build_id = build_id_of(found);
  const char* const name = copy_of_bytes(found.path, std::strlen(found.path) + 1);
  const std::byte* const id = copy_of_bytes(build_id.data(), build_id.size());
  if (name != nullptr && id != nullptr) {
    seen_modules.find_or_add(found.begin,
                             {.begin = found.begin,
                              .end = found.end,
                              .bias = found.load_bias,
                              .name = name,
                              .build_id = {id, build_id.size()}},
                             same);
  }
}

std::uint32_t seen_module_count() noexcept {
  return seen_modules.ready() ? seen_modules.count() : 0;
}
const SeenModule& seen_module(std::uint32_t id) noexcept {
  return seen_modules[id];
}

}  // namespace waitprof
