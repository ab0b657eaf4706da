// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/crash_safe/build_id.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace waitprof {

std::span<const std::byte> find_build_id(std::span<const std::byte> notes, std::size_t alignment) noexcept {
  const std::size_t unit = alignment == 8 ? 8 : 4;
  const auto padded = [unit](std::size_t size) { return (size + unit - 1) / unit * unit; };
  Elf64_Nhdr header;
  while (notes.size() >= sizeof header) {
    std::memcpy(&header, notes.data(), sizeof header);
    const std::size_t description = sizeof header + padded(header.n_namesz);
    const std::size_t end = description + padded(header.n_descsz);
    if (description + header.n_descsz > notes.size()) {
      return {};
    }
    const bool gnu = header.n_namesz == 4 && std::memcmp(notes.data() + sizeof header, "GNU", 4) == 0;
    if (gnu && header.n_type == NT_GNU_BUILD_ID) {
      return notes.subspan(description, header.n_descsz);
    }
    notes = notes.subspan(std::min(end, notes.size()));
  }
  return {};
}

}  // namespace waitprof
