// The GNU build id in a block of ELF notes: which build of a file this is. Allocates no memory.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

namespace waitprof {

// The bytes of the id in the notes; empty if there is none or the notes are damaged. `alignment`: that of the
// segment or section, 4 or 8.
std::span<const std::byte> find_build_id(std::span<const std::byte> notes, std::size_t alignment) noexcept;

}  // namespace waitprof
