// The caller of one of our functions, as that function knows it without walking the stack.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

struct Caller {
  // The canonical frame address: the first word of the caller's own frame, right above the return address.
  const std::uintptr_t* frame = nullptr;
  // The caller's frame pointer register, whatever it uses it for.
  std::uintptr_t frame_pointer = 0;

  // Where the caller continues.
  std::uintptr_t return_address() const noexcept { return frame[-1]; }
};

}  // namespace waitprof

// The caller of the function that uses this macro. Asking for the frame address makes the compiler save the
// caller's frame pointer there, followed by the return address (x86-64 psABI 3.2.2, GCC and Clang).
#define WAITPROF_CALLER                                                                 \
  (waitprof::Caller{static_cast<const std::uintptr_t*>(__builtin_frame_address(0)) + 2, \
                    *static_cast<const std::uintptr_t*>(__builtin_frame_address(0))})
