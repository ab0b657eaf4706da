// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/definitions/elf_notes.hpp"

#include "libwaitprof/crash_safe/build_id.hpp"

namespace waitprof::archive {

std::string hex_of(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const std::byte byte : bytes) {
    hex += kDigits[std::to_integer<unsigned>(byte) >> 4];
    hex += kDigits[std::to_integer<unsigned>(byte) & 15U];
  }
  return hex;
}

std::string build_id_in_notes(std::span<const std::byte> notes, std::size_t alignment) {
  return hex_of(find_build_id(notes, alignment));
}

}  // namespace waitprof::archive
