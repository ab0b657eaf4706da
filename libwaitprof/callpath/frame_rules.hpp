// What the compiler's unwind tables say about the frame of a function at one place of its code: where the
// caller's frame begins, where the return address is, where the caller's frame pointer was saved. (DWARF 5,
// section 6.4, as .eh_frame has it: Linux Standard Base 5.0, 10.6.)
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

struct FrameRule {
  // The canonical frame address (CFA) is one of these plus `cfa_offset`; InMemory: the value stored at that
  // address, as in functions that align their stack beyond 16 bytes.
  enum class Cfa : std::uint8_t { StackPointer, FramePointer, InMemoryAtFramePointer };
  // The caller's frame pointer is still in its register, or stored at one of these plus
  // `frame_pointer_offset`.
  enum class FramePointer : std::uint8_t { InRegister, AtCfa, AtFramePointer };

  Cfa cfa = Cfa::StackPointer;
  FramePointer frame_pointer = FramePointer::InRegister;
  bool outermost = false;  // the outermost frame has no caller: the rest means nothing
  std::int64_t cfa_offset = 0;
  std::int64_t frame_pointer_offset = 0;
  std::int64_t return_address_offset = 0;  // from the CFA
};

// The rule at the call that returns to `return_address`. False: no table, a signal frame, or a rule of
// another form. Neither locks nor allocates.
bool find_frame_rule(std::uintptr_t return_address, FrameRule& rule) noexcept;

}  // namespace waitprof
