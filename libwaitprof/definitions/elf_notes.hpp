// The GNU build id in a block of ELF notes, as hex.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace waitprof::archive {

// "" if there is none or the notes are damaged. `alignment`: that of the segment or section, 4 or 8.
std::string build_id_in_notes(std::span<const std::byte> notes, std::size_t alignment);

std::string hex_of(std::span<const std::byte> bytes);

}  // namespace waitprof::archive
