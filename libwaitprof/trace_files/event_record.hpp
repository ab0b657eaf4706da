// The bytes of one event record in an OTF2 event file (trace format 3, as OTF2 3.0 writes it):
//
//   type | length | field | field | ...       type | number       for the few records of isBare()
//   field    its bytes one by one, or a compressed number: how many bytes follow, then those, lowest first
//   -1       of a field's width is one byte, 255
//
// OTF2's own writer takes three times as long (tests/bench/archive_bench.cpp) and is what the tests compare
// with.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace waitprof::archive {

static_assert(std::endian::native == std::endian::little, "numbers are stored lowest byte first");

enum class EventRecord : std::uint8_t {
  BufferFlush = 10,
  MeasurementOnOff,
  Enter,
  Leave,
  MpiSend,
  MpiIsend,
  MpiIsendComplete,
  MpiIrecvRequest,
  MpiRecv,
  MpiIrecv,
  MpiRequestCancelled = 21,
  MpiCollectiveBegin,
  MpiCollectiveEnd,
  Metric = 31,
  ParameterUnsignedInt = 34,
  RmaWinCreate,
  RmaWinDestroy,
  RmaCollectiveBegin,
  RmaCollectiveEnd,
  RmaGroupSync,
  RmaAcquireLock = 41,
  RmaReleaseLock = 43,
  RmaPut = 46,
  RmaGet,
  RmaAtomic,
  RmaOpCompleteNonBlocking = 50,
  RmaOpCompleteRemote = 52,
  ThreadAcquireLock = 57,
  ThreadReleaseLock,
  ThreadCreate = 62,
  ThreadBegin,
  ThreadWait,
  ThreadEnd,
  ProgramBegin = 83,
  ProgramEnd,
  NonBlockingCollectiveRequest,
  NonBlockingCollectiveComplete,
  CommCreate,
  CommDestroy,
};

// Records whose data is one number, without a length before it.
constexpr bool is_bare(EventRecord type) {
  return type == EventRecord::Enter || type == EventRecord::Leave || type == EventRecord::MpiIsendComplete ||
         type == EventRecord::MpiIrecvRequest || type == EventRecord::MpiRequestCancelled;
}

// A field of eight bytes that is not compressed.
struct Fixed64 {
  std::uint64_t value = 0;
};

namespace event_record {

// What may stand before a record.
inline constexpr std::uint8_t kTimestamp = 5, kAttributeList = 6;

// The most bytes that a field takes; put() may write zeros to that many bytes.
template <class Field>
inline constexpr std::size_t kMostBytes = sizeof(Field) == 1 ? 1 : 1 + sizeof(std::uint64_t);

inline std::byte* put_byte(std::byte* at, std::uint8_t value) noexcept {
  *at = std::byte{value};
  return at + 1;
}

inline std::byte* put_fixed(std::byte* at, std::uint64_t value) noexcept {
  std::memcpy(at, &value, sizeof value);
  return at + sizeof value;
}

// Returns where the next field begins.
template <class Field>
inline std::byte* put(std::byte* at, Field field) noexcept {
  if constexpr (std::is_same_v<Field, Fixed64>) {
    return put_fixed(at, field.value);
  } else if constexpr (sizeof(Field) == 1) {
    return put_byte(at, field);
  } else {
    static_assert(std::is_unsigned_v<Field> && sizeof(Field) >= 4);
    // Most are small and of the same length as before: a branch is foreseen, the length of the others is waited for.
    if (field - 1U < 0xffU) {
      return put_byte(put_byte(at, 1), static_cast<std::uint8_t>(field));
    }
    if (field == 0) {
      return put_byte(at, 0);
    }
    if (field == std::numeric_limits<Field>::max()) [[unlikely]] {
      return put_byte(at, 0xff);
    }
    const auto bytes = static_cast<unsigned>(std::bit_width(field) + 7) / 8;
    put_fixed(put_byte(at, static_cast<std::uint8_t>(bytes)), field);
    return at + 1 + bytes;
  }
}

template <class... Fields>
inline std::byte* put_record(std::byte* at, EventRecord type, Fields... fields) noexcept {
  at = put_byte(at, static_cast<std::uint8_t>(type));
  if (is_bare(type)) {
    ((at = put(at, fields)), ...);
    return at;
  }
  std::byte* const length = at++;
  ((at = put(at, fields)), ...);
  *length = static_cast<std::byte>(at - length - 1);
  return at;
}

}  // namespace event_record
}  // namespace waitprof::archive
