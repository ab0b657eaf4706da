// See frame_table_row.hpp. We follow the CFA and three registers: frame pointer, stack pointer, return
// address. The others do not matter as long as no CFA depends on them, and such a CFA is refused.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/frame_table_row.hpp"

#include <array>
#include <cstddef>

#include "libwaitprof/callpath/table_bytes.hpp"

namespace waitprof {
namespace {

constexpr std::uint64_t kFramePointer = 6, kStackPointer = 7, kReturnAddress = 16;  // psABI, figure 3.36

// Where a register of the caller is.
struct Place {
  enum Kind : std::uint8_t { Unchanged, Undefined, AtCfa, AtFramePointer, Elsewhere };
  Kind kind = Unchanged;
  std::int64_t offset = 0;
};

struct Row {
  bool cfa_known = false;
  FrameRule::Cfa cfa = FrameRule::Cfa::StackPointer;
  std::int64_t cfa_offset = 0;
  Place frame_pointer, stack_pointer, return_address;
  Place others;  // written, never read

  Place& of(std::uint64_t column) noexcept {
    switch (column) {
      case kFramePointer:
        return frame_pointer;
      case kStackPointer:
        return stack_pointer;
      case kReturnAddress:
        return return_address;
      default:
        return others;
    }
  }
};

enum Instruction : std::uint8_t {  // DW_CFA_*
  kNop = 0x00,
  kAdvance1 = 0x02,
  kAdvance2 = 0x03,
  kAdvance4 = 0x04,
  kOffsetExtended = 0x05,
  kRestoreExtended = 0x06,
  kUndefined = 0x07,
  kSameValue = 0x08,
  kRegister = 0x09,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefineCfa = 0x0c,
  kDefineCfaRegister = 0x0d,
  kDefineCfaOffset = 0x0e,
  kDefineCfaExpression = 0x0f,
  kExpression = 0x10,
  kOffsetExtendedSigned = 0x11,
  kDefineCfaSigned = 0x12,
  kDefineCfaOffsetSigned = 0x13,
  kValueOffset = 0x14,
  kValueOffsetSigned = 0x15,
  kValueExpression = 0x16,
  kGnuArgumentsSize = 0x2e,
  kAdvance = 0x40,  // the operand of these three is in the lower six bits
  kOffset = 0x80,
  kRestore = 0xc0,
};

class Interpreter {
 public:
  Interpreter(const UnwindProgram& program, std::uint64_t target) noexcept
      : program_(program), target_(target) {}

  // False: there was an instruction that is not understood.
  bool run_common() noexcept {
    const bool understood = run(program_.common_begin, program_.common_end);
    common_ = row_;
    return understood;
  }
  bool run_own() noexcept { return run(program_.begin, program_.end); }
  const Row& row() const noexcept { return row_; }

 private:
  bool run(const std::uint8_t* begin, const std::uint8_t* end) noexcept {
    TableBytes bytes(begin);
    while (bytes.position() < end && !arrived_) {
      const std::uint8_t code = bytes.byte();
      const std::uint8_t operand = code & 0x3f;
      const bool understood =
          (code & 0xc0) != 0 ? short_form(code & 0xc0, operand, bytes) : long_form(code, bytes);
      if (!understood) return false;
    }
    return true;
  }

  bool short_form(std::uint8_t code, std::uint8_t operand, TableBytes& bytes) noexcept {
    if (code == kAdvance) {
      advance(operand);
    } else if (code == kOffset) {
      row_.of(operand) = {Place::AtCfa, factored(bytes.unsigned_number())};
    } else {
      row_.of(operand) = common_.of(operand);
    }
    return true;
  }

  bool long_form(std::uint8_t code, TableBytes& bytes) noexcept {
    switch (code) {
      case kNop:
        return true;
      case kGnuArgumentsSize:
        bytes.unsigned_number();
        return true;
      case kAdvance1:
        return advance(bytes.byte());
      case kAdvance2:
        return advance(bytes.value<std::uint16_t>());
      case kAdvance4:
        return advance(bytes.value<std::uint32_t>());
      case kRememberState:
        return remember();
      case kRestoreState:
        return restore();
      case kDefineCfa:
      case kDefineCfaSigned:
      case kDefineCfaRegister:
      case kDefineCfaOffset:
      case kDefineCfaOffsetSigned:
      case kDefineCfaExpression:
        return cfa_form(code, bytes);
      default:
        return register_form(code, bytes);
    }
  }

  bool cfa_form(std::uint8_t code, TableBytes& bytes) noexcept {
    switch (code) {
      case kDefineCfa: {
        cfa_register(bytes.unsigned_number());
        row_.cfa_offset = static_cast<std::int64_t>(bytes.unsigned_number());
        return true;
      }
      case kDefineCfaSigned: {
        cfa_register(bytes.unsigned_number());
        row_.cfa_offset = bytes.signed_number() * program_.data_unit;
        return true;
      }
      case kDefineCfaRegister:
        cfa_register(bytes.unsigned_number());
        return true;
      case kDefineCfaOffset:
        row_.cfa_offset = static_cast<std::int64_t>(bytes.unsigned_number());
        return true;
      case kDefineCfaOffsetSigned:
        row_.cfa_offset = bytes.signed_number() * program_.data_unit;
        return true;
      default:
        cfa_expression(bytes);
        return true;
    }
  }

  bool register_form(std::uint8_t code, TableBytes& bytes) noexcept {
    Place& place = row_.of(bytes.unsigned_number());
    switch (code) {
      case kOffsetExtended:
        place = {Place::AtCfa, factored(bytes.unsigned_number())};
        return true;
      case kOffsetExtendedSigned:
        place = {Place::AtCfa, bytes.signed_number() * program_.data_unit};
        return true;
      case kRestoreExtended:
        place = &place == &row_.others ? Place{} : common_place(place);
        return true;
      case kUndefined:
        place = {Place::Undefined, 0};
        return true;
      case kSameValue:
        place = {Place::Unchanged, 0};
        return true;
      case kExpression:
        place = saved_by_expression(bytes);
        return true;
      case kRegister:
      case kValueOffset:
        bytes.unsigned_number();
        place = {Place::Elsewhere, 0};
        return true;
      case kValueOffsetSigned:
        bytes.signed_number();
        place = {Place::Elsewhere, 0};
        return true;
      case kValueExpression:
        bytes.skip(bytes.unsigned_number());
        place = {Place::Elsewhere, 0};
        return true;
      default:
        return false;
    }
  }

  Place common_place(const Place& place) noexcept {
    if (&place == &row_.frame_pointer) return common_.frame_pointer;
    return &place == &row_.stack_pointer ? common_.stack_pointer : common_.return_address;
  }

  std::int64_t factored(std::uint64_t offset) const noexcept {
    return static_cast<std::int64_t>(offset) * program_.data_unit;
  }

  bool advance(std::uint64_t units) noexcept {
    location_ += units * program_.code_unit;
    arrived_ = location_ > target_;
    return true;
  }

  bool remember() noexcept {
    if (depth_ == remembered_.size()) return false;
    remembered_[depth_++] = row_;
    return true;
  }
  bool restore() noexcept {
    if (depth_ == 0) return false;
    row_ = remembered_[--depth_];
    return true;
  }

  void cfa_register(std::uint64_t column) noexcept {
    row_.cfa_known = column == kFramePointer || column == kStackPointer;
    row_.cfa = column == kFramePointer ? FrameRule::Cfa::FramePointer : FrameRule::Cfa::StackPointer;
  }

  // What GCC emits for a stack with stricter alignment: DW_OP_breg6 offset, DW_OP_deref.
  void cfa_expression(TableBytes& bytes) noexcept {
    constexpr std::uint8_t kDereference = 0x06;
    const std::uint64_t length = bytes.unsigned_number();
    const std::uint8_t* const end = bytes.position() + length;
    TableBytes inner(bytes.position());
    row_.cfa_known = length >= 3 && inner.byte() == kFramePointerPlus;
    if (row_.cfa_known) {
      row_.cfa = FrameRule::Cfa::InMemoryAtFramePointer;
      row_.cfa_offset = inner.signed_number();
      row_.cfa_known = inner.position() + 1 == end && inner.byte() == kDereference;
    }
    bytes.skip(length);
  }

  // What GCC emits in the same functions: DW_OP_breg6 offset.
  Place saved_by_expression(TableBytes& bytes) noexcept {
    const std::uint64_t length = bytes.unsigned_number();
    const std::uint8_t* const end = bytes.position() + length;
    TableBytes inner(bytes.position());
    Place place{Place::Elsewhere, 0};
    if (length >= 2 && inner.byte() == kFramePointerPlus) {
      place.offset = inner.signed_number();
      place.kind = inner.position() == end ? Place::AtFramePointer : Place::Elsewhere;
    }
    bytes.skip(length);
    return place;
  }

  static constexpr std::uint8_t kFramePointerPlus = 0x76;  // DW_OP_breg6
  const UnwindProgram& program_;
  const std::uint64_t target_;
  std::uint64_t location_ = 0;
  bool arrived_ = false;
  Row row_, common_;
  std::array<Row, 4> remembered_;
  std::size_t depth_ = 0;
};

bool to_rule(const Row& row, FrameRule& rule) noexcept {
  rule = {};
  rule.outermost = row.return_address.kind == Place::Undefined;
  if (rule.outermost) return true;
  if (!row.cfa_known || row.return_address.kind != Place::AtCfa || row.stack_pointer.kind != Place::Unchanged)
    return false;
  rule.cfa = row.cfa;
  rule.cfa_offset = row.cfa_offset;
  rule.return_address_offset = row.return_address.offset;
  rule.frame_pointer_offset = row.frame_pointer.offset;
  switch (row.frame_pointer.kind) {
    case Place::Unchanged:
      rule.frame_pointer = FrameRule::FramePointer::InRegister;
      return true;
    case Place::AtCfa:
      rule.frame_pointer = FrameRule::FramePointer::AtCfa;
      return true;
    case Place::AtFramePointer:
      rule.frame_pointer = FrameRule::FramePointer::AtFramePointer;
      return true;
    default:
      return false;
  }
}

}  // namespace

bool run_unwind_program(const UnwindProgram& program, std::uint64_t offset, FrameRule& rule) noexcept {
  Interpreter interpreter(program, offset);
  return interpreter.run_common() && interpreter.run_own() && to_rule(interpreter.row(), rule);
}

}  // namespace waitprof
