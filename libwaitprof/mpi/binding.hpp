// Where on its node a process may run.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

namespace waitprof {

// Numbers as the kernel gives them: a core's is unique in its package (chip, socket) only.
struct Binding {
  static constexpr std::int32_t kNone = -1;  // may run on several of them, or nobody knows
  std::int32_t package = kNone, core = kNone;
  friend bool operator==(const Binding&, const Binding&) = default;
};

// Of the calling thread, from its affinity mask and the kernel's description of the processors. On a node
// with one package every thread is bound to that.
Binding binding_of_thread() noexcept;

// Of this node; 0: not known.
std::uint32_t processors_online() noexcept;

// The binding to a mask of processors and a directory like /sys/devices/system/cpu.
Binding binding_of(std::span<const std::uint64_t> processors, const char* description) noexcept;

}  // namespace waitprof
