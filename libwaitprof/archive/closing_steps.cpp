// The steps at the end of a recording that need no communication with other ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/closing_steps.hpp"

#include <new>
#include <optional>
#include <string>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/definitions/name_functions.hpp"
#include "libwaitprof/definitions/write_definitions.hpp"
#include "libwaitprof/records/location_writer.hpp"
#include "libwaitprof/records/write_events.hpp"
#include "libwaitprof/schema/file_checks.hpp"
#include "libwaitprof/surroundings/complaint.hpp"
#include "libwaitprof/surroundings/quiet_section.hpp"
#include "libwaitprof/surroundings/say.hpp"
#include "libwaitprof/trace_files/archive_file.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"

namespace waitprof::archive {

bool complete_event_files() {
  bool good = true;
  for (ThreadState* thread = thread_list(); thread != nullptr; thread = thread->next) {
    good = (thread->excerpts != nullptr ? write_excerpts(*thread) : write_events(*thread)) && good;
    write_teams(*thread);
  }
  const QuietSection quiet;
  for (LocationWriter* location = LocationWriter::all(); location != nullptr; location = location->next()) {
    location->finish();
    good = location->whole() && good;
  }
  return good;
}

void cut_event_files() noexcept {
  for (ThreadState* thread = thread_list(); thread != nullptr; thread = thread->next) {
    thread->left_out.dropped_events += unwritten_events(*thread);
  }
  const QuietSection quiet;
  for (LocationWriter* location = LocationWriter::all(); location != nullptr; location = location->next()) {
    if (!location->whole()) {
      location->cut();
    }
  }
}

std::vector<OTF2_LocationRef> own_locations() {
  std::vector<OTF2_LocationRef> locations;
  for (LocationWriter* location = LocationWriter::all(); location != nullptr; location = location->next()) {
    locations.push_back(location->location());
  }
  return locations;
}

namespace {

// Files of event records were large: they are not read again.
std::optional<schema::FileCheck> check_of_events(OTF2_LocationRef location) {
  LocationWriter* writer = LocationWriter::all();
  while (writer != nullptr && writer->location() != location) {
    writer = writer->next();
  }
  return writer != nullptr ? writer->check() : std::nullopt;
}

}  // namespace

std::string file_checks(std::span<const OTF2_LocationRef> locations) noexcept {
  try {
    const QuietSection quiet;
    std::string checks = session.primary ? schema::global_checks(session.directory) : "";
    for (const OTF2_LocationRef location : locations) {
      checks += schema::location_checks(session.directory, location, check_of_events(location));
    }
    return checks;
  } catch (const std::bad_alloc&) {
    return "";
  }
}

IdMaps finish_definitions(Definitions& unified) {
  const QuietSection quiet;
  name_functions(unified);
  const GlobalIds ids = write_global_definitions(session.otf2, unified);
  session.primary = ids.good;  // no anchor that promises definitions which are not there
  return ids.maps;
}

bool finish_session(const Definitions& unified, bool local_written, bool all_written) {
  const QuietSection quiet;
  session.primary = session.primary && write_properties(session.otf2, unified, all_written);
  const bool good = local_written && session.primary == session.opened_as_primary;
  return close_session() && ((good && incomplete_files() == 0) || session.failed);
}

void say_incomplete() {
  if (first_to_complain(Complaint::Incomplete)) {
    say("cannot complete the archive %s (%s): recording stopped on rank %d. The program goes on; its results "
        "are not affected.",
        session.directory.c_str(), last_error().c_str(), world.rank);
  }
}

}  // namespace waitprof::archive
