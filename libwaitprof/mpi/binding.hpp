// Where on its node a process may run.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

namespace waitprof {

// Numbers as the kernel gives them: the number of a core is unique only within its package (chip, socket).
struct Binding {
  static constexpr std::int32_t kNone = -1;  // may run on several of them, or it is not known
  std::int32_t package = kNone, core = kNone;
  friend bool operator==(const Binding&, const Binding&) = default;
};

// The binding of the calling thread, from its affinity mask and the kernel's description of the processors.
// On a node with one package every thread is bound to that package.
Binding binding_of_thread() noexcept;

// The number of processors of this node; 0: not known.
std::uint32_t processors_online() noexcept;

// The binding to a mask of processors and a directory like /sys/devices/system/cpu.
Binding binding_of(std::span<const std::uint64_t> processors, const char* description) noexcept;

}  // namespace waitprof
