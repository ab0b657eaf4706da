// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/records/write_events.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/records/location_writer.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/quiet_section.hpp"
#include "libwaitprof/surroundings/used_time.hpp"
#include "libwaitprof/threads/excerpts.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"
#include "libwaitprof/trace_files/size_limit.hpp"

namespace waitprof::archive {
namespace {

LocationWriter* writer_of(ThreadState& thread) {
  if (thread.writer == nullptr) {
    // Excerpts are written from their slots only at the end: until then the slots are what survives a crash.
    crash_safe::EventArea* const area = thread.excerpts == nullptr ? thread.area : nullptr;
    LocationWriter* const writer =
        LocationWriter::open(session.directory, static_cast<std::uint32_t>(world.rank), thread.thread, area);
    if (writer != nullptr && settings.each_call_path) {
      writer->write_each_path();
    }
    thread.writer = writer;
  }
  return static_cast<LocationWriter*>(thread.writer);
}

std::uint64_t most_bytes() {
  const auto limit = static_cast<std::uint64_t>(settings.limit_mib);
  return limit > 0 ? limit * kMebibyte : UINT64_MAX;
}

void stop_at_limit() {
  const crash_safe::LimitRecord record{time_of_limit(), static_cast<std::uint64_t>(settings.limit_mib)};
  journal(RecordKind::LimitReached, record);
  give_up(("WAITPROF_LIMIT_MIB=" + std::to_string(settings.limit_mib) + " is reached").c_str());
}

// Slots stay as they are, to be recovered: their event file cannot be continued.
void forget_events(ThreadState& thread, LocationWriter& writer) noexcept {
  if (thread.excerpts != nullptr) {
    thread.cursor = thread.begin;
    return;
  }
  cut_events(thread, thread.begin);
  writer.forget_written();
}

// Nothing may follow events that could not be written; one missing event is counted to show that something
// would have followed.
void end_buffer_here(ThreadState& thread) noexcept {
  thread.end = thread.cursor;
  ++thread.left_out.dropped_events;
}

}  // namespace

bool write_events(ThreadState& thread) {
  const QuietSection quiet;
  const bool had_room = time_of_limit() == UINT64_MAX;
  LocationWriter* const writer = writer_of(thread);
  const std::span<const Event> events(thread.begin, thread.cursor);
  const bool written = writer != nullptr && writer->write(events, most_bytes());
  if (written) {
    thread.written_events += events.size();
    forget_events(thread, *writer);
  } else if (recording()) {
    end_buffer_here(thread);
  }
  tell_left_out(thread);
  if (had_room && time_of_limit() != UINT64_MAX) {
    stop_at_limit();
  }
  if (!written && recording() && !session.failed.exchange(true)) {
    give_up(("cannot write to " + session.directory + " (" + last_error() + ")").c_str());
  }
  return written;
}

std::uint64_t unwritten_events(const ThreadState& thread) noexcept {
  const auto* const writer = static_cast<const LocationWriter*>(thread.writer);
  return static_cast<std::uint64_t>(thread.cursor - thread.begin) -
         (writer != nullptr ? writer->converted() : 0);
}

void write_teams(ThreadState& thread) {
  auto* const writer = static_cast<LocationWriter*>(thread.writer);
  if (writer != nullptr && thread.teams != nullptr) {
    writer->write_teams(*thread.teams);
  }
}

bool write_excerpts(ThreadState& thread) {
  std::vector<std::pair<std::uint64_t, std::span<Event>>> excerpts;
  for (std::uint32_t slot = 0; slot < thread.excerpts->count; ++slot) {
    excerpts.emplace_back(thread.excerpts->slot[slot].number, events_of_slot(thread, slot));
  }
  std::sort(excerpts.begin(), excerpts.end(),
            [](const auto& one, const auto& other) { return one.first < other.first; });
  for (const auto& [number, events] : excerpts) {
    thread.begin = events.data();
    thread.cursor = thread.begin + events.size();
    if (!events.empty() && !write_events(thread)) {
      return false;
    }
  }
  if (auto* const writer = static_cast<LocationWriter*>(thread.writer); writer != nullptr) {
    const QuietSection quiet;
    writer->write_totals(*thread.totals);
  }
  return true;
}

bool flush_events(ThreadState& thread) {
  const std::uint64_t begin = now();
  const ShortStopwatch work;
  const bool written = write_events(thread);
  thread.left_out.upkeep_ns += work.passed();
  if (written) {
    mark_pause(thread, begin);
  }
  return written;
}

void mark_pause(ThreadState& thread, std::uint64_t begin) {
  append(thread, event_at(EventType::FlushBegin, begin));
  append(thread, event_at(EventType::FlushEnd, now()));
}

}  // namespace waitprof::archive
