// Which system call was it? Linux does not tell a signal handler, but the code does. C libraries put the number into eax
// shortly before the `syscall` instruction, with at most a few moves of arguments between:
//
//   as a constant (glibc up to 2.40)    mov $0x10e,%eax; mov 0x1c(%rsp),%edi; syscall
//   from the stack, where a function makes many calls (glibc 2.41: __internal_syscall_cancel)
//                                       mov 0x10(%rsp),%rax; syscall
//   from an argument, which the caller has taken from its stack (glibc 2.41 and musl, in programs with threads)
//                                       mov 0x20(%rsp),%rsi; ...; call    ->    mov %rsi,%rax; mov %rcx,%rsi; ...; syscall
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
constexpr int kMovStackBytes = 5;      // 48 8b modrm sib disp8
constexpr int kCallBytes = 5;          // e8 rel32
constexpr Byte kWide = 0x48;           // prefix: 64 bits

enum Register : Byte { kRax = 0, kRsi = 6 };

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

// Length of the instruction if it is in our table and leaves the register alone; 0 otherwise.
int length_sparing(Register kept, const Byte* code) noexcept {
  constexpr Byte kWideBit = 8, kRegisterExtension = 4, kMemoryExtension = 1;
  const bool prefixed = (*code & 0xf0) == 0x40;
  const Byte prefix = prefixed ? *code : Byte{0};
  const Byte* const opcode = code + (prefixed ? 1 : 0);
  const int before_operands = static_cast<int>(opcode - code) + 1;
  if ((*opcode & 0xf8) == 0xb8 && (prefix & kWideBit) == 0) {
    const bool is_kept = (*opcode & 7) == kept && (prefix & kMemoryExtension) == 0;
    return is_kept ? 0 : before_operands + 4;
  }
  for (const OperandInstruction& each : kWithOperands) {
    if (each.opcode != *opcode) continue;
    const Operands operands = operands_at(opcode + 1);
    const bool field_is_kept = operands.field == kept && (prefix & kRegisterExtension) == 0;
    const bool other_is_kept =
        operands.mode == 3 && operands.memory == kept && (prefix & kMemoryExtension) == 0;
    if (each.writes == Writes::RegisterField && field_is_kept) return 0;
    if (each.writes == Writes::MemoryOrRegister && other_is_kept) return 0;
    return before_operands + operands.bytes + each.immediate_bytes;
  }
  return 0;
}

bool only_spares(Register kept, const Byte* code, const Byte* end) noexcept {
  while (code < end) {
    const int length = length_sparing(kept, code);
    if (length == 0) return false;
    code += length;
  }
  return code == end;
}

// The last instruction before `end` for which `is_it` holds, if those between leave the register alone; else nullptr.
template <class IsIt>
const Byte* instruction_before(const Byte* end, const Byte* begin_of_code, int bytes, Register sets,
                               IsIt is_it) noexcept {
  for (int between = 0; between <= kMostBytesBetween; ++between) {
    const Byte* const code = end - bytes - between;
    if (code < begin_of_code) return nullptr;
    if (is_it(code) && only_spares(sets, code + bytes, end)) return code;
  }
  return nullptr;
}

// mov offset(%rsp),register
const Byte* load_from_stack_before(const Byte* end, const Byte* begin_of_code, Register into) noexcept {
  const auto modrm = static_cast<Byte>(0x44 | into << 3);
  return instruction_before(end, begin_of_code, kMovStackBytes, into, [modrm](const Byte* code) {
    return code[0] == kWide && code[1] == 0x8b && code[2] == modrm && code[3] == 0x24;
  });
}

long number_on_stack(const void* stack, const Byte* load) noexcept {
  long number = -1;
  std::memcpy(&number, static_cast<const Byte*>(stack) + static_cast<signed char>(load[kMovStackBytes - 1]),
              sizeof number);
  return number;
}

// What the caller of this function, which begins before `move` and moves rsi to rax there, has put into rsi.
long number_of_caller(const Code& code, const Byte* move, const void* stack) noexcept {
  const Byte* back = nullptr;  // where the function returns to
  std::memcpy(&back, stack, sizeof back);
  if (back < code.begin + kCallBytes || back > code.end || back[-kCallBytes] != 0xe8) return -1;
  std::int32_t distance = 0;
  std::memcpy(&distance, back - kCallBytes + 1, sizeof distance);
  const auto before_move = move - (back + distance);
  if (before_move < 0 || before_move > kMostBytesBetween) return -1;
  const Byte* const load = load_from_stack_before(back - kCallBytes, code.begin, kRsi);
  return load != nullptr ? number_on_stack(static_cast<const Byte*>(stack) + sizeof back, load) : -1;
}

}  // namespace

long system_call_number_before(const Byte* after, const Code& code, const void* stack) noexcept {
  const Byte* const syscall_instruction = after - kSyscallBytes;
  if (syscall_instruction < code.begin || syscall_instruction[0] != 0x0f || syscall_instruction[1] != 0x05)
    return -1;
  const Byte* const zero_eax = syscall_instruction - 2;  // xor %eax,%eax: read
  if (zero_eax >= code.begin && (zero_eax[0] == 0x31 || zero_eax[0] == 0x33) && zero_eax[1] == 0xc0) return 0;
  if (const Byte* const mov = instruction_before(syscall_instruction, code.begin, kMovImmediateBytes, kRax,
                                                 [](const Byte* at) { return *at == 0xb8; })) {
    std::int32_t number = 0;
    std::memcpy(&number, mov + 1, sizeof number);
    return number;
  }
  if (const Byte* const load = load_from_stack_before(syscall_instruction, code.begin, kRax))
    return number_on_stack(stack, load);
  constexpr int kMoveBytes = 3;  // mov %rsi,%rax
  if (const Byte* const move =
          instruction_before(syscall_instruction, code.begin, kMoveBytes, kRax,
                             [](const Byte* at) { return at[0] == kWide && at[1] == 0x89 && at[2] == 0xf0; }))
    return number_of_caller(code, move, stack);
  return -1;
}

}  // namespace waitprof
