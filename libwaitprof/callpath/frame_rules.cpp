// See frame_rules.hpp. The address of a function leads to its frame description entry (FDE), and that to the
// common information entry (CIE); the instructions of both, up to the address, make the row of the table.
//
//   .eh_frame_hdr  sorted (function, FDE)     found without a lock
//   .eh_frame      CIE: instructions for all  FDE: function, length, instructions
//
// Only the encodings that compilers use on x86-64 are read; for anything else no rule is found.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/frame_rules.hpp"

#include "libwaitprof/callpath/frame_table_row.hpp"
#include "libwaitprof/callpath/table_bytes.hpp"
#include "libwaitprof/surroundings/loaded_objects.hpp"

namespace waitprof {
namespace {

constexpr std::uint8_t kRelativeInt32 = 0x1b;       // DW_EH_PE_pcrel | DW_EH_PE_sdata4
constexpr std::uint8_t kTableRelativeInt32 = 0x3b;  // DW_EH_PE_datarel | DW_EH_PE_sdata4
constexpr std::uint8_t kUInt32 = 0x03;              // DW_EH_PE_udata4
constexpr std::uint8_t kOmitted = 0xff;
constexpr std::uint64_t kReturnAddressColumn = 16;

struct SearchEntry {
  std::int32_t function, description;  // relative to the start of the table
};

// The FDE of the last function that begins at or before `address`; nullptr: there is none.
const std::uint8_t* find_description(std::uintptr_t address) noexcept {
  LoadedObject object;
  if (!find_loaded_object(address, object) || object.unwind_table == nullptr) return nullptr;
  const std::uint8_t* const table = object.unwind_table;
  TableBytes header(table);
  if (header.byte() != 1 || header.byte() != kRelativeInt32 || header.byte() != kUInt32 ||
      header.byte() != kTableRelativeInt32)
    return nullptr;
  header.value<std::int32_t>();
  std::size_t count = header.value<std::uint32_t>();
  const auto* first = reinterpret_cast<const SearchEntry*>(header.position());
  const auto offset = static_cast<std::int64_t>(address - reinterpret_cast<std::uintptr_t>(table));
  if (count == 0 || offset < first->function) return nullptr;
  while (count > 1) {
    const std::size_t half = count / 2;
    const bool behind = first[half].function <= offset;
    first += behind ? half : 0;
    count = behind ? count - half : half;
  }
  return table + first->description;
}

struct CommonInformation {
  UnwindProgram program;
  bool usable = false;
};

// Skips the address of a personality routine, which follows its encoding.
bool skip_address(TableBytes& bytes, std::uint8_t encoding) noexcept {
  constexpr std::uint8_t kInt32Forms = 0x03, kInt64Forms = 0x04, kForm = 0x07;
  if ((encoding & kForm) == kInt32Forms)
    bytes.skip(4);
  else if ((encoding & kForm) == kInt64Forms || (encoding & kForm) == 0)
    bytes.skip(8);
  else
    return false;
  return true;
}

CommonInformation read_common_information(const std::uint8_t* entry) noexcept {
  CommonInformation common;
  TableBytes bytes(entry);
  const auto length = bytes.value<std::uint32_t>();
  const std::uint8_t* const end = bytes.position() + length;
  const auto id = bytes.value<std::uint32_t>();
  const std::uint8_t version = bytes.byte();
  if (length == UINT32_MAX || id != 0 || (version != 1 && version != 3)) return common;
  const char* letter = bytes.text();
  common.program.code_unit = bytes.unsigned_number();
  common.program.data_unit = bytes.signed_number();
  const std::uint64_t column = version == 1 ? bytes.byte() : bytes.unsigned_number();
  if (column != kReturnAddressColumn || *letter != 'z') return common;
  const std::uint64_t augmentation = bytes.unsigned_number();
  common.program.common_begin = bytes.position() + augmentation;
  common.program.common_end = end;
  for (++letter; *letter != '\0'; ++letter) {
    const bool known = *letter == 'R' || *letter == 'L' || *letter == 'P';  // 'S' is a signal frame
    const std::uint8_t encoding = known ? bytes.byte() : kOmitted;
    if (!known || (*letter == 'R' && encoding != kRelativeInt32) ||
        (*letter == 'P' && !skip_address(bytes, encoding)))
      return common;
  }
  common.usable = true;
  return common;
}

}  // namespace

bool find_frame_rule(std::uintptr_t return_address, FrameRule& rule) noexcept {
  const std::uintptr_t address =
      return_address - 1;  // of the call, which may be the function's last instruction
  const std::uint8_t* const entry = find_description(address);
  if (entry == nullptr) return false;
  TableBytes bytes(entry);
  const auto length = bytes.value<std::uint32_t>();
  const std::uint8_t* const base = bytes.position();
  const auto distance = bytes.value<std::uint32_t>();
  if (length == UINT32_MAX || distance == 0) return false;
  CommonInformation common = read_common_information(base - distance);
  if (!common.usable) return false;
  const auto relative_to = reinterpret_cast<std::uintptr_t>(bytes.position());
  const std::uintptr_t function = relative_to + static_cast<std::uintptr_t>(bytes.value<std::int32_t>());
  const auto code_bytes = bytes.value<std::uint32_t>();
  if (address - function >= code_bytes) return false;
  const std::uint64_t augmentation = bytes.unsigned_number();
  common.program.begin = bytes.position() + augmentation;
  common.program.end = base + length;
  return run_unwind_program(common.program, address - function, rule);
}

}  // namespace waitprof
