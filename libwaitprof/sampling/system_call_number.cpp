// Which system call was it? Linux does not tell a signal handler, but the code does: C libraries put the
// number into eax as a constant shortly before the `syscall` instruction, with at most a few moves of
// arguments between (glibc 2.36: `mov $0x10e,%eax; mov 0x1c(%rsp),%edi; syscall`).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstring>

#include "libwaitprof/sampling/interrupted_call.hpp"

namespace waitprof {
namespace {

using Byte = unsigned char;

constexpr int kSyscallBytes = 2;
constexpr int kMostBytesBetween = 32;
constexpr int kMovImmediateBytes = 5;  // b8 imm32

// The instructions that occur in between, one row each. `writes` says where the destination register is
// encoded.
enum class Writes { Nothing, RegisterField, MemoryOrRegister };
struct OperandInstruction {
  Byte opcode;
  Byte immediate_bytes;
  Writes writes;
};
constexpr OperandInstruction kWithOperands[] = {
    {0x8b, 0, Writes::RegisterField},
    {0x8d, 0, Writes::RegisterField},  // mov, lea to a register
    {0x33, 0, Writes::RegisterField},
    {0x31, 0, Writes::MemoryOrRegister},  // xor
    {0x89, 0, Writes::MemoryOrRegister},
    {0x85, 0, Writes::Nothing},  // mov from a register, test
    {0xc7, 4, Writes::MemoryOrRegister},
    {0x81, 4, Writes::MemoryOrRegister},  // mov, and/xor... with a constant
    {0x83, 1, Writes::MemoryOrRegister},
    {0x80, 1, Writes::MemoryOrRegister},
    {0xc1, 1, Writes::MemoryOrRegister},  // shifts
};

struct Operands {
  Byte mode, field, memory;  // the parts of a ModRM byte
  int bytes;                 // of ModRM, SIB and displacement
};

Operands operands_at(const Byte* modrm) noexcept {
  Operands result{static_cast<Byte>(*modrm >> 6), static_cast<Byte>((*modrm >> 3) & 7),
                  static_cast<Byte>(*modrm & 7), 1};
  if (result.mode == 3) return result;
  const bool has_sib = result.memory == 4;
  if (has_sib) ++result.bytes;
  if (result.mode == 1) result.bytes += 1;
  if (result.mode == 2 || (result.mode == 0 && result.memory == 5)) result.bytes += 4;
  return result;
}

// Length of the instruction if it is in our table and leaves eax alone; 0 otherwise.
int length_sparing_eax(const Byte* code) noexcept {
  constexpr Byte kWide = 8, kRegisterExtension = 4, kMemoryExtension = 1;
  const bool prefixed = (*code & 0xf0) == 0x40;
  const Byte prefix = prefixed ? *code : Byte{0};
  const Byte* const opcode = code + (prefixed ? 1 : 0);
  const int before_operands = static_cast<int>(opcode - code) + 1;
  if ((*opcode & 0xf8) == 0xb8 && (prefix & kWide) == 0) {
    const bool is_eax = *opcode == 0xb8 && (prefix & kMemoryExtension) == 0;
    return is_eax ? 0 : before_operands + 4;
  }
  for (const OperandInstruction& each : kWithOperands) {
    if (each.opcode != *opcode) continue;
    const Operands operands = operands_at(opcode + 1);
    const bool field_is_eax = operands.field == 0 && (prefix & kRegisterExtension) == 0;
    const bool other_is_eax = operands.mode == 3 && operands.memory == 0 && (prefix & kMemoryExtension) == 0;
    if (each.writes == Writes::RegisterField && field_is_eax) return 0;
    if (each.writes == Writes::MemoryOrRegister && other_is_eax) return 0;
    return before_operands + operands.bytes + each.immediate_bytes;
  }
  return 0;
}

bool only_spares_eax(const Byte* code, const Byte* end) noexcept {
  while (code < end) {
    const int length = length_sparing_eax(code);
    if (length == 0) return false;
    code += length;
  }
  return code == end;
}

}  // namespace

long system_call_number_before(const Byte* after, const Byte* begin_of_code) noexcept {
  const Byte* const syscall_instruction = after - kSyscallBytes;
  if (syscall_instruction < begin_of_code || syscall_instruction[0] != 0x0f || syscall_instruction[1] != 0x05)
    return -1;
  const Byte* const zero_eax = syscall_instruction - 2;  // xor %eax,%eax: read
  if (zero_eax >= begin_of_code && (zero_eax[0] == 0x31 || zero_eax[0] == 0x33) && zero_eax[1] == 0xc0)
    return 0;
  for (int between = 0; between <= kMostBytesBetween; ++between) {
    const Byte* const mov = syscall_instruction - kMovImmediateBytes - between;
    if (mov < begin_of_code) return -1;
    if (*mov != 0xb8 || !only_spares_eax(mov + kMovImmediateBytes, syscall_instruction)) continue;
    std::int32_t number = 0;
    std::memcpy(&number, mov + 1, sizeof number);
    return number;
  }
  return -1;
}

}  // namespace waitprof
