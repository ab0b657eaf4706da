// Definitions <-> bytes, to send them between ranks and to write them to a journal. One description of the
// fields serves both directions, so that they cannot drift apart. Reading checks every length: a damaged blob
// gives false, never a wild access.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "libwaitprof/definitions/recording_facts.hpp"

namespace waitprof::archive {

using Blob = std::vector<std::byte>;

class BlobWriter {
 public:
  template <typename... Fields>
  void operator()(Fields&... fields) {
    (field(fields), ...);
  }
  Blob take() { return std::move(bytes_); }

 private:
  template <typename T>
  void field(T& value);
  void raw(const void* data, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }
  Blob bytes_;
};

class BlobReader {
 public:
  explicit BlobReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <typename... Fields>
  void operator()(Fields&... fields) {
    (field(fields), ...);
  }
  bool whole() const { return good_ && bytes_.empty(); }

 private:
  template <typename T>
  void field(T& value);
  void fail() {
    good_ = false;
    bytes_ = {};
  }
  void raw(void* data, std::size_t size) {
    if (size > bytes_.size()) {
      fail();
      return;
    }
    if (size > 0) {
      std::memcpy(data, bytes_.data(), size);
    }
    bytes_ = bytes_.subspan(size);
  }
  std::span<const std::byte> bytes_;
  bool good_ = true;
};

// clang-format off
template <class Stream> void fields(Stream& s, Module& m) { s(m.path, m.build_id); }
template <class Stream> void fields(Stream& s, CodePlace& p) { s(p.module, p.offset, p.function, p.function_start); }
template <class Stream> void fields(Stream& s, Region& r) { s(r.kind, r.role, r.name, r.place); }
template <class Stream> void fields(Stream& s, Neighbours& n) { s(n.rank, n.sources, n.destinations); }
template <class Stream> void fields(Stream& s, Communicator& c) {
  s(c.key, c.parent_key, c.has_create_event, c.members, c.remote_members, c.name, c.topology, c.dims, c.periods,
    c.edges, c.neighbours);
}
template <class Stream> void fields(Stream& s, Window& w) { s(w.key, w.communicator, w.name); }
template <class Stream> void fields(Stream& s, RankGroup& g) { s(g.members); }
template <class Stream> void fields(Stream& s, Rank& r) {
  s(r.rank, r.program, r.process, r.host, r.boot, r.processors, r.clock_error, r.call_cost, r.poll_cost, r.start_cost, r.start_ran, r.binding.package, r.binding.core, r.threads, r.first_time, r.last_time, r.left_out.dropped_events,
    r.left_out.dropped_samples, r.clamped_times, r.unknown_frames, r.truncated_call_paths, r.lost_call_paths, r.lost_regions, r.regions_without_mpi, r.left_out.filtered_regions, r.left_out.untracked, r.left_out.failed_polls, r.left_out.path_walks_ns, r.left_out.upkeep_ns, r.left_out.lost_handles, r.left_out.unsampled_threads, r.left_out.lost_switches, r.left_out.untimed_operators, r.left_out.cut_short_calls, r.other_jobs, r.limit_time, r.limit_mib, r.complete, r.ending);
}
template <class Stream> void fields(Stream& s, Definitions& d) {
  s(d.modules, d.texts, d.regions, d.places, d.call_paths, d.communicators, d.windows, d.groups, d.ranks, d.world_size,
    d.longest_table, d.finished, d.recording);
}
template <class Stream> void fields(Stream& s, RecordingFacts& f) { for_each_fact(f, [&s](const char*, auto& fact) { s(fact); }); }
template <class Stream> void fields(Stream& s, ProcessStart& p) {
  s(p.rank, p.program, p.world_size, p.alone, p.part_of_node, p.clock, p.recording);
}
template <class Stream> void fields(Stream& s, IdMaps& m) {
  s(m.texts, m.regions, m.call_paths, m.communicators, m.windows, m.groups, m.definition_chunk);
}
// clang-format on

template <typename T>
inline constexpr bool kIsSequence = false;
template <typename T>
inline constexpr bool kIsSequence<std::vector<T>> = true;
template <>
inline constexpr bool kIsSequence<std::string> = true;

// Copied as bytes: numbers, enums, and structs of numbers that need no description.
template <typename T>
inline constexpr bool kIsPlain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, CallPath> ||
    std::is_same_v<T, MemberRun> || std::is_same_v<T, OtherJobs> || std::is_same_v<T, Thread> ||
    std::is_same_v<T, ClockOffset>;

template <typename T>
void BlobWriter::field(T& value) {
  if constexpr (kIsPlain<T>) {
    raw(&value, sizeof value);
  } else if constexpr (kIsSequence<T>) {
    const std::uint64_t size = value.size();
    raw(&size, sizeof size);
    if constexpr (kIsPlain<typename T::value_type>) {
      raw(value.data(), value.size() * sizeof(typename T::value_type));
    } else {
      for (auto& element : value) {
        field(element);
      }
    }
  } else {
    fields(*this, value);
  }
}

template <typename T>
void BlobReader::field(T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    std::uint8_t byte = 0;
    raw(&byte, 1);
    value = byte != 0;
  } else if constexpr (kIsPlain<T>) {
    raw(&value, sizeof value);
  } else if constexpr (kIsSequence<T>) {
    std::uint64_t size = 0;
    raw(&size, sizeof size);
    constexpr bool kPlainElements = kIsPlain<typename T::value_type>;
    const std::uint64_t least_bytes = kPlainElements ? sizeof(typename T::value_type) : 1;
    if (size > bytes_.size() / least_bytes) {
      fail();
      return;
    }
    value.resize(size);
    if constexpr (kPlainElements) {
      raw(value.data(), size * sizeof(typename T::value_type));
    } else {
      for (auto& element : value) {
        field(element);
      }
    }
  } else {
    fields(*this, value);
  }
}

template <typename T>
Blob to_blob(T value) {
  BlobWriter writer;
  writer(value);
  return writer.take();
}

template <typename T>
bool from_blob(std::span<const std::byte> blob, T& value) {
  BlobReader reader(blob);
  reader(value);
  return reader.whole();
}

}  // namespace waitprof::archive
