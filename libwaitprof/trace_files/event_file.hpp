// One location's event file: chunks of kEventChunk bytes, each of which can be read by itself.
//
//   chunk      mark, byte order, number of its first and of its last record (8 bytes each), records, zeros;
//              in the last chunk two bytes that end the file instead of the zeros
//   record     [time stamp, if it differs from that of the record before] [attributes]
//   event_record.hpp
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "libwaitprof/buffer/event.hpp"
#include "libwaitprof/trace_files/archive_file.hpp"
#include "libwaitprof/trace_files/event_record.hpp"

namespace waitprof::archive {

// 256 KiB stays in the cache between conversion and write: a quarter faster than OTF2's default of 1 MiB, and
// the size of the files is the same.
inline constexpr std::uint64_t kEventChunk = 256 * 1024;

// How a chunk begins and the last one ends.
namespace event_chunk {
inline constexpr std::byte kMark{3}, kByteOrder{0x42}, kEndOfFile{2}, kEndOfBuffer{1};
inline constexpr std::size_t kFirstAt = 2, kLastAt = 10, kRecordsAt = 18;
}  // namespace event_chunk

// A fact about the record it stands before. OTF2 has a type byte of each.
struct EventAttribute {
  OTF2_AttributeRef attribute = 0;
  OTF2_Type type = OTF2_TYPE_NONE;  // UINT8, UINT64, or a reference (32 bits)
  std::uint64_t value = 0;
};

// The records of one call as they are in a file: a time stamp, the attribute with its call path, the records of the enter
// time, a time stamp, those of the leave time.
struct CallRecords {
  static constexpr std::size_t kPiece = 64, kKept = 256;  // so many are kept
  static constexpr std::size_t kMostPath = 16;            // bytes of the attribute
  const Event* call = nullptr;                            // its first event
  std::uint32_t size = 0, leave_at = 0, records = 0;
  std::uint32_t round = 0;  // of the buffer's events
  std::uint32_t call_path = 0, path_size = 0;
  std::byte bytes[4 * kPiece + kMostPath];  // zeros after `size`
};

class EventFile {
 public:
  // `path` is created when the first chunk is full. The records gather in `room` (kEventChunk bytes of zeros, which are not
  // touched before they are needed) if there is one, else in memory of its own.
  EventFile(std::string path, std::byte* room) : file_(std::move(path), kEventChunk), room_(room) {}
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;
  ~EventFile();

  // False: there is no memory, and nothing may be added.
  bool open() noexcept;

  // `fields` in the order of OTF2's documentation: std::uint8_t for enumerations and small counts,
  // std::uint32_t for references, std::uint64_t for other numbers. At most kMostAttributes attributes.
  template <class... Fields>
  void add_with(std::span<const EventAttribute> attributes, EventRecord type, std::uint64_t time,
                Fields... fields) noexcept {
    static_assert((event_record::kMostBytes<Fields> + ... + 2U) <= kMostRecord);
    if (!begin_record(time)) [[unlikely]] {
      return;
    }
    cursor_ = event_record::put_record(put_attributes(cursor_, attributes), type, fields...);
    ++records_;
  }
  template <class... Fields>
  void add(EventRecord type, std::uint64_t time, Fields... fields) noexcept {
    add_with({}, type, time, fields...);
  }

  // Room for so many more records. False: the chunk is full and cannot be written; it stays where it is, and what
  // is added now is lost.
  bool make_room(std::size_t records = 1) noexcept {
    return static_cast<std::size_t>(end_ - cursor_) >= records * kMostBytes || next_chunk();
  }
  bool lost() const noexcept { return lost_; }

  std::uint64_t records() const noexcept { return records_; }

  // A place between two records of the chunk in progress.
  const std::byte* here() const noexcept { return cursor_; }
  // Adds the records of a call once more, at other times, with its call path or without. False: not like this.
  bool add_again(const CallRecords& call, std::uint64_t enter, std::uint64_t leave, bool with_path) noexcept {
    if (static_cast<std::size_t>(end_ - cursor_) < sizeof call.bytes || enter == time_ || enter >= leave) {
      return false;
    }
    const std::size_t left_out = with_path ? 0 : call.path_size, size = call.size - left_out;
    for (std::size_t at = 0; at < size; at += CallRecords::kPiece) {
      std::memcpy(cursor_ + at, call.bytes + left_out + at, CallRecords::kPiece);
    }
    using event_record::kTimestamp;
    event_record::put_fixed(event_record::put_byte(cursor_, kTimestamp), enter);
    event_record::put_fixed(cursor_ + call.leave_at - left_out + 1, leave);
    cursor_ += size;
    time_ = leave;
    records_ += call.records;
    return true;
  }

  // False: the file is shorter than it should be.
  bool close() noexcept;
  // See TraceFile. After close().
  std::optional<schema::FileCheck> check() const noexcept { return file_.check(); }

  static constexpr std::size_t kMostAttributes = 11;
  static std::byte* put_attributes(std::byte* at, std::span<const EventAttribute> attributes) noexcept {
    using event_record::put;
    if (attributes.empty()) {
      return at;
    }
    using event_record::kAttributeList;
    std::byte* const length = event_record::put_byte(at, kAttributeList);
    at = put(length + 1, static_cast<std::uint32_t>(attributes.size()));
    for (const EventAttribute& a : attributes) {
      at = put(put(at, a.attribute), static_cast<std::uint8_t>(a.type));
      at = a.type == OTF2_TYPE_UINT8    ? put(at, static_cast<std::uint8_t>(a.value))
           : a.type == OTF2_TYPE_UINT64 ? put(at, a.value)
                                        : put(at, static_cast<std::uint32_t>(a.value));
    }
    *length = static_cast<std::byte>(at - length - 1);
    return at;
  }

 private:
  static constexpr std::size_t kMostRecord = 2 + 9 * 11, kTimestampBytes = 9;
  static constexpr std::size_t kMostAttributeBytes = 4 + kMostAttributes * (5 + 1 + 9);
  static constexpr std::size_t kMostBytes = kTimestampBytes + kMostAttributeBytes + kMostRecord + 8;

  bool begin_record(std::uint64_t time) noexcept {
    if (!make_room()) [[unlikely]] {
      lost_ = true;
      return false;
    }
    if (time != time_) {
      using event_record::kTimestamp;
      cursor_ = event_record::put_fixed(event_record::put_byte(cursor_, kTimestamp), time);
      time_ = time;
    }
    return true;
  }

  void begin_chunk() noexcept;
  void put_header() noexcept;
  bool next_chunk() noexcept;
  void end_chunk() noexcept;

  ArchiveFile file_;
  std::byte *cursor_ = nullptr, *end_ = nullptr;
  std::uint64_t time_ = kNoTime;  // the last one in this chunk
  std::uint64_t records_ = 0;
  std::byte* room_ = nullptr;
  bool own_room_ = false;
  bool created_ = false;
  bool lost_ = false;  // a record

  static constexpr std::uint64_t kNoTime = UINT64_MAX;
};

}  // namespace waitprof::archive
