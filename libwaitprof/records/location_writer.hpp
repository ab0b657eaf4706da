// One thread's events -> OTF2 records in its event file. Ids are local to the process; the tables that map
// them to global ids are written when the archive is closed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libwaitprof/buffer/call_totals.hpp"
#include "libwaitprof/buffer/event.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/handles/peer_lists.hpp"
#include "libwaitprof/openmp/team_totals.hpp"
#include "libwaitprof/records/rma_writer.hpp"
#include "libwaitprof/schema/crash_safe_layout.hpp"
#include "libwaitprof/schema/repeated_paths.hpp"
#include "libwaitprof/schema/schema.hpp"
#include "libwaitprof/trace_files/event_file.hpp"
#include "libwaitprof/trace_files/size_limit.hpp"

namespace waitprof::archive {

// Ids of the few definitions that are the same on all ranks and need no mapping.
inline constexpr OTF2_AttributeRef kCallPathAttributeRef = 0;
inline constexpr OTF2_AttributeRef kProcessIdAttributeRef = 1;
inline constexpr OTF2_AttributeRef kNeighbourhoodAttributeRef = 2;
inline constexpr OTF2_AttributeRef kPeersAttributeRef = 3;
inline constexpr OTF2_AttributeRef kFileBytesAttributeRef = 4;
inline constexpr OTF2_AttributeRef kPollsAttributeRef = 5;
inline constexpr OTF2_AttributeRef kAnySourceAttributeRef = 6;
inline constexpr OTF2_AttributeRef kRepeatAttributeRef = 7;
inline constexpr OTF2_AttributeRef kTurnsAttributeRef = 8;
inline constexpr OTF2_AttributeRef kFirstParallelAttributeRef = 9;  // of schema::kParallelAttributes
inline constexpr OTF2_AttributeRef kFirstTotalAttributeRef =
    kFirstParallelAttributeRef + std::size(schema::kParallelAttributes);  // of schema::kTotalAttributes
inline constexpr OTF2_MetricRef kUsageMetricRef = 0;
inline constexpr std::uint8_t kUsageMembers = 8;  // UsageData, FaultData
inline constexpr OTF2_MetricRef kCountersMetricRef = 1;
inline constexpr OTF2_ParameterRef kSampleParameterRef = 0;
inline constexpr OTF2_ParameterRef kStepParameterRef = 1;
inline constexpr OTF2_ParameterRef kPresenceParameterRef = 2;
inline constexpr OTF2_ParameterRef kFirstOffProcessorParameterRef = 3;  // by OffReason
inline constexpr OTF2_ParameterRef kParallelParameterRef =
    kFirstOffProcessorParameterRef + std::size(schema::kOffProcessorParameters);
inline constexpr OTF2_ParameterRef kLastSeenParameterRef = kParallelParameterRef + 1;
inline constexpr OTF2_ParameterRef kExcerptParameterRef = kLastSeenParameterRef + 1;
inline constexpr OTF2_ParameterRef kTotalParameterRef = kExcerptParameterRef + 1;
inline constexpr OTF2_ParameterRef kStepsPassedParameterRef = kTotalParameterRef + 1;

// Texts of a process (Definitions::texts): its program, then its peer lists.
inline constexpr OTF2_StringRef kProgramText = 0;
constexpr OTF2_StringRef text_of_peers(std::uint32_t peer_list) {
  return peer_list;
}

// kNoCallPathId: that there is none.
constexpr EventAttribute path_attribute(std::uint32_t call_path) {
  static_assert(kNoCallPathId == 0 && OTF2_UNDEFINED_CALLING_CONTEXT == UINT32_MAX);
  return {kCallPathAttributeRef, OTF2_TYPE_CALLING_CONTEXT, call_path - 1};
}

constexpr OTF2_LocationRef location_of(std::uint32_t rank, std::uint32_t thread) {
  return rank | std::uint64_t{thread} << 32;
}

class LocationWriter {
 public:
  // A writer for the archive in `directory`; nullptr if there is no memory. Lives until the process ends.
  // With an area, records are collected there, and the file's progress is stored there now and then.
  static LocationWriter* open(const std::string& directory, std::uint32_t rank, std::uint32_t thread,
                              crash_safe::EventArea* area = nullptr);
  // Call paths are written with every call. Before write().
  void write_each_path() noexcept { paths_.write_each(); }
  // All writers of this process, newest first.
  static LocationWriter* all() noexcept;
  LocationWriter* next() const noexcept { return next_; }

  // Events after time_of_limit() are left out; that time is set when the first call or region ends after
  // `most_bytes` are in the files of this process. False: the file can take no more now. If called with the
  // same events again, it continues after those that it has converted.
  // `before`: so many events of the buffer lie before them.
  bool write(std::span<const Event> events, std::uint64_t most_bytes = UINT64_MAX, std::size_t before = 0);
  // The number of converted events, if not all could be written.
  std::size_t converted() const noexcept { return converted_; }
  // The written events have left the buffer.
  void forget_written() noexcept { tell_progress(0); }

  // Continues a file whose beginning `area` describes.
  void continue_from(const crash_safe::EventArea& area, std::uint64_t process) noexcept;

  // Writes the totals of all calls of the thread, after the last event.
  void write_totals(const CallTotals& totals);
  void write_teams(const TeamTotals& teams);

  // For a process that was killed: it was last seen at this time, and open regions stay open.
  void leave_open(std::uint64_t last_seen);

  // Closes what is still open and completes the file, if it can; see whole().
  void finish() noexcept;
  // Ends an incomplete file after its readable part. events() is then the number of events in the file.
  void cut() noexcept;

  std::uint32_t thread() const noexcept { return thread_; }
  OTF2_LocationRef location() const noexcept { return location_; }
  std::uint64_t events() const noexcept { return events_in_file_; }
  std::uint64_t first_time() const noexcept { return first_time_; }
  std::uint64_t last_time() const noexcept { return last_time_; }
  std::uint64_t clamped_times() const noexcept { return clamped_times_; }
  std::uint64_t lost_events() const noexcept { return lost_events_; }
  bool paused() const noexcept { return paused_; }
  bool whole() const noexcept { return whole_; }
  // Of its file; empty if it must be read for that.
  std::optional<schema::FileCheck> check() const noexcept { return whole_ ? file_.check() : std::nullopt; }

 private:
  [[gnu::noinline]] void begin_program();
  void end_program();
  bool convert(std::span<const Event> events, std::uint64_t most_bytes);
  void write_one(const Event& event);
  void write_enter(const Event& event, std::uint64_t time, std::uint32_t region);
  void write_region(const Event& event);
  bool copy_call(const Event& event) noexcept;
  void write_call_again(const Event& event);
  void write_message(const Event& event);
  void write_request(const Event& event);
  void write_collective(const Event& event);
  void write_collective_end(const Event& event, std::uint64_t time);
  [[gnu::noinline]] void write_rma(const Event& event);
  void write_sample(const Event& event);
  [[gnu::noinline]] void write_step(const Event& event);
  void write_total(const CallTotal& total);
  [[gnu::noinline]] void write_usage(const Event& event);
  [[gnu::noinline]] void write_counters(const Event& event);
  [[gnu::noinline]] void write_off_processor(const Event& event);
  [[gnu::noinline]] void write_thread(const Event& event);
  [[gnu::noinline]] void write_wake(const Event& event);
  [[gnu::noinline]] void write_mark(const Event& event);
  std::uint32_t local_id(std::uint32_t region) noexcept;
  std::uint64_t in_order(std::uint64_t time) noexcept;
  void tell_progress(std::size_t converted) noexcept;

  LocationWriter(const std::string& path, std::byte* room) : path_(path), file_(path, room) {}

  std::string path_;
  EventFile file_;
  OTF2_LocationRef location_ = 0;
  std::uint32_t thread_ = 0;
  LocationWriter* next_ = nullptr;

  std::vector<std::uint32_t> open_regions_;
  struct KnownRegion {
    std::uint32_t region = UINT32_MAX, local = 0;
  };
  std::array<KnownRegion, 64> known_regions_;  // by the region's lower bits
  schema::PathsToWrite paths_;
  RmaWriter rma_;
  std::unique_ptr<CallRecords[]>
      calls_;                      // that are repeated, by the lower bits of where they are in the buffer
  const Event* buffer_ = nullptr;  // the first event of the buffer
  std::uint32_t round_ = 0;        // how often the buffer was written
  std::uint32_t peer_list_ = kNoPeerList;  // of the collective record that comes next
  std::uint64_t polls_ = 0;                // failed ones, of the Enter that comes next
  std::uint64_t file_bytes_ = 0;           // of the Leave that comes next
  FaultData faults_{};                     // of the Usage that comes next
  std::uint64_t completed_request_ = 0;    // of the CollectiveComplete that comes next
  std::uint64_t first_time_ = UINT64_MAX, last_time_ = 0;
  std::uint64_t clamped_times_ = 0;
  std::uint64_t events_in_file_ = 0, lost_events_ = 0;
  std::size_t converted_ = 0;
  crash_safe::EventArea* area_ = nullptr;
  std::uint64_t process_ = world.process;
  bool left_open_ = false;
  bool paused_ = false;  // ever
  bool whole_ = true;
};

// A sample may slip between taking a time stamp and storing the event: the file must not go backwards in
// time.
inline std::uint64_t LocationWriter::in_order(std::uint64_t time) noexcept {
  if (time < last_time_) {
    ++clamped_times_;
    return last_time_;
  }
  last_time_ = time;
  return time;
}

// The records of a call were kept when it was repeated first.
inline bool LocationWriter::copy_call(const Event& event) noexcept {
  const Event* const call = &event - event.u.repeat.distance;
  const std::uint64_t enter = event.time, leave = enter + event.u.repeat.duration;
  if (calls_ == nullptr || polls_ != 0 || enter <= last_time_ || leave > time_of_limit()) {
    return false;
  }
  const CallRecords& kept = calls_[static_cast<std::size_t>(call - buffer_) % CallRecords::kKept];
  if (kept.call != call || kept.round != round_) {
    return false;
  }
  const bool is_next = paths_.is_next(kept.call_path);
  if ((!is_next && paths_.repetition(kept.call_path) != 0) ||
      !file_.add_again(kept, enter, leave, !is_next)) {
    return false;
  }
  paths_.add(kept.call_path);
  last_time_ = leave;
  return true;
}

}  // namespace waitprof::archive
