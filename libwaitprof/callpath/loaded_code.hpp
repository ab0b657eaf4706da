// Whether code at an address can have been exchanged for other code.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

// Code of the program and of the libraries it was started with: it stays until the process ends. False for
// code that came by dlopen, and where this is not known.
bool stays_loaded(std::uintptr_t code) noexcept;

// Changes whenever code was unloaded. Costs as much as a hundred instructions or two, and takes a lock of the
// dynamic linker: not for signal handlers.
std::uint64_t code_generation() noexcept;

// Closing a library and loading another one in its place takes longer than this (ns), because of the system
// calls alone. Within that time after code_generation() it need not be called again.
inline constexpr std::uint64_t kShortestExchange = 5'000;

}  // namespace waitprof
