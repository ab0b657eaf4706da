// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/closing.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "libwaitprof/archive/collect.hpp"
#include "libwaitprof/archive/location_writer.hpp"
#include "libwaitprof/archive/name_functions.hpp"
#include "libwaitprof/archive/otf2_files.hpp"
#include "libwaitprof/archive/otf2_session.hpp"
#include "libwaitprof/archive/write_definitions.hpp"
#include "libwaitprof/archive/write_events.hpp"
#include "libwaitprof/record/quiet_section.hpp"
#include "libwaitprof/record/recorder.hpp"

namespace waitprof::archive {
namespace {

void complete_event_files() {
  for (ThreadState* thread = thread_list(); thread != nullptr; thread = thread->next) {
    write_events(*thread);
  }
  const QuietSection quiet;
  for (LocationWriter* location = LocationWriter::all(); location != nullptr; location = location->next()) {
    location->finish(session.otf2, session.directory);
  }
}

Definitions own_definitions(Ranks& ranks, const std::vector<ClockOffset>& clocks) {
  const LoadedModules loaded = LoadedModules::of_this_process();
  std::vector<Module> at_rank_0 = loaded.modules();
  Blob modules = to_blob(at_rank_0);
  ranks.broadcast(modules);
  from_blob(modules, at_rank_0);
  Definitions own = collect_definitions(loaded, at_rank_0, clocks.back().offset);
  own.ranks.front().clock_error =
      std::max_element(clocks.begin(), clocks.end(), [](const ClockOffset& one, const ClockOffset& other) {
        return one.error < other.error;
      })->error;
  return own;
}

// By the primary: all that readers need but local definitions and the anchor.
IdMaps finish_definitions(Definitions& unified) {
  const QuietSection quiet;
  name_functions(unified);
  const GlobalIds ids = write_global_definitions(session.otf2, unified);
  session.primary = ids.good;  // no anchor that promises definitions which are not there
  return ids.maps;
}

// False: the archive is not what it should be, and nobody has said so yet.
bool finish_session(const Definitions& unified, bool local_written, bool all_written) {
  const QuietSection quiet;
  const bool was_primary = session.primary;
  session.primary = session.primary && write_properties(session.otf2, unified, all_written);
  const bool good = local_written && session.primary == was_primary;
  return close_session() && ((good && incomplete_files() == 0) || session.failed);
}

void say_incomplete() {
  give_up(("cannot complete the archive " + session.directory + " (" + last_error() + ")").c_str());
}

bool write_own_local_definitions(const IdMaps& to_global, std::span<const ClockOffset> clocks) {
  const QuietSection quiet;
  std::vector<OTF2_LocationRef> locations;
  for (LocationWriter* location = LocationWriter::all(); location != nullptr; location = location->next()) {
    locations.push_back(location->location());
  }
  OTF2_Archive_OpenDefFiles(session.otf2);
  const bool written = write_local_definitions(session.otf2, locations, to_global, clocks);
  OTF2_Archive_CloseDefFiles(session.otf2);
  return written;
}

}  // namespace

void complete_archive(Ranks& ranks, ClockOffsets& clock_offsets) {
  complete_event_files();
  const std::vector<ClockOffset> clocks = clock_offsets.finish();
  Definitions unified;
  const IdMaps to_global = unify_over_ranks(ranks, own_definitions(ranks, clocks), [&](Definitions& all) {
    unified = std::move(all);
    return finish_definitions(unified);
  });
  const bool local_written = write_own_local_definitions(to_global, clocks);
  const bool all_written = ranks.all(local_written);
  if (!finish_session(unified, local_written, all_written)) {
    say_incomplete();
  }
}

}  // namespace waitprof::archive
