// The program and the libraries whose code is on a call path: kept, since a library may be unloaded before the archive is
// completed, and the dynamic linker then knows nothing of it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "libwaitprof/surroundings/loaded_objects.hpp"

namespace waitprof {

struct SeenModule {
  std::uintptr_t begin = 0, end = 0, bias = 0;
  const char* name = "";  // as the dynamic linker knows it: "" is the program itself
  std::span<const std::byte> build_id{};
};

// Keeps the module that contains this code, once. In signal handlers, too.
void see_module_of(std::uintptr_t address) noexcept;

// Ids are 1..seen_module_count(); the same module may have several.
std::uint32_t seen_module_count() noexcept;
const SeenModule& seen_module(std::uint32_t id) noexcept;

// In its memory; empty: it has none.
std::span<const std::byte> build_id_of(const LoadedObject& object) noexcept;

}  // namespace waitprof
