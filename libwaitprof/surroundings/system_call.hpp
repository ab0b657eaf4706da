// The bare system call: no errno, no cancellation point, nothing that a signal handler may not do.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#if !defined(__x86_64__)
#error "The sampler knows the system call convention of x86-64 Linux only."
#endif

namespace waitprof {

// The result, or -errno.
inline long raw_system_call(long number, long a, long b, long c, long d, long e, long f) noexcept {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <typename Argument>
long as_register(Argument argument) noexcept {
  if constexpr (std::is_pointer_v<Argument> || std::is_null_pointer_v<Argument>)
    return reinterpret_cast<long>(argument);
  else
    return static_cast<long>(argument);
}

template <typename A = long, typename B = long, typename C = long, typename D = long, typename E = long>
long system_call(long number, A a = {}, B b = {}, C c = {}, D d = {}, E e = {}) noexcept {
  return raw_system_call(number, as_register(a), as_register(b), as_register(c), as_register(d),
                         as_register(e), 0);
}

}  // namespace waitprof
