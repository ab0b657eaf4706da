// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/write_events.hpp"

#include <span>
#include <string>

#include "libwaitprof/archive/location_writer.hpp"
#include "libwaitprof/archive/otf2_files.hpp"
#include "libwaitprof/archive/otf2_session.hpp"
#include "libwaitprof/record/quiet_section.hpp"
#include "libwaitprof/record/recorder.hpp"

namespace waitprof::archive {
namespace {

LocationWriter* writer_of(ThreadState& thread) {
  if (thread.writer == nullptr) {
    thread.writer = LocationWriter::open(session.otf2, static_cast<std::uint32_t>(world.rank), thread.thread,
                                         thread.area);
  }
  return static_cast<LocationWriter*>(thread.writer);
}

}  // namespace

bool write_events(ThreadState& thread) {
  const QuietSection quiet;
  LocationWriter* writer = session.failed ? nullptr : writer_of(thread);
  const std::span<const Event> events(thread.begin, thread.cursor);
  const bool written = writer != nullptr && writer->write(events);
  (written ? thread.written_events : thread.dropped_events) += events.size();
  cut_events(thread, thread.begin);
  if (writer != nullptr) {
    writer->forget_written();
  }
  const bool good = written && !any_write_failed();
  if (!good && !session.failed.exchange(true)) {
    give_up(("cannot write to " + session.directory + " (" + last_error() + ")").c_str());
  }
  return good;
}

}  // namespace waitprof::archive
