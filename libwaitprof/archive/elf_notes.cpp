// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/elf_notes.hpp"

#include <elf.h>

#include <cstring>

namespace waitprof::archive {
namespace {

std::string to_hex(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const std::byte byte : bytes) {
    hex += kDigits[std::to_integer<unsigned>(byte) >> 4];
    hex += kDigits[std::to_integer<unsigned>(byte) & 15U];
  }
  return hex;
}

}  // namespace

std::string build_id_in_notes(std::span<const std::byte> notes, std::size_t alignment) {
  const std::size_t unit = alignment == 8 ? 8 : 4;
  const auto padded = [unit](std::size_t size) { return (size + unit - 1) / unit * unit; };
  Elf64_Nhdr header;
  while (notes.size() >= sizeof header) {
    std::memcpy(&header, notes.data(), sizeof header);
    const std::size_t description = sizeof header + padded(header.n_namesz);
    const std::size_t end = description + padded(header.n_descsz);
    if (description + header.n_descsz > notes.size()) {
      return "";
    }
    const bool gnu = header.n_namesz == 4 && std::memcmp(notes.data() + sizeof header, "GNU", 4) == 0;
    if (gnu && header.n_type == NT_GNU_BUILD_ID) {
      return to_hex(notes.subspan(description, header.n_descsz));
    }
    notes = notes.subspan(std::min(end, notes.size()));
  }
  return "";
}

}  // namespace waitprof::archive
