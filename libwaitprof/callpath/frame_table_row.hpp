// The instructions of an unwind table, carried out up to one address.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/callpath/frame_rules.hpp"

namespace waitprof {

struct UnwindProgram {
  std::uint64_t code_unit = 1;  // factors of the instructions' operands
  std::int64_t data_unit = 1;
  const std::uint8_t *common_begin = nullptr, *common_end = nullptr;  // for all functions of the CIE
  const std::uint8_t *begin = nullptr, *end = nullptr;                // for this one
};

// The row for the code `offset` bytes into the function; false: a form that FrameRule does not have.
bool run_unwind_program(const UnwindProgram& program, std::uint64_t offset, FrameRule& rule) noexcept;

}  // namespace waitprof
