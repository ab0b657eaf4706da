// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/closing.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "libwaitprof/archive/archive.hpp"
#include "libwaitprof/archive/collect.hpp"
#include "libwaitprof/archive/location_writer.hpp"
#include "libwaitprof/archive/name_functions.hpp"
#include "libwaitprof/archive/otf2_files.hpp"
#include "libwaitprof/archive/otf2_session.hpp"
#include "libwaitprof/archive/quiet_section.hpp"
#include "libwaitprof/archive/unify.hpp"
#include "libwaitprof/archive/write_definitions.hpp"
#include "libwaitprof/archive/write_events.hpp"
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

Definitions own_definitions(Ranks& ranks, const ClockOffset& clock) {
  const LoadedModules loaded = LoadedModules::of_this_process();
  std::vector<Module> at_rank_0 = loaded.modules();
  Blob modules = to_blob(at_rank_0);
  ranks.broadcast(modules);
  from_blob(modules, at_rank_0);
  return collect_definitions(loaded, at_rank_0, clock.offset);
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
  return write_local_definitions(session.otf2, to_global, clocks);
}

// Event files without local definitions would be misread, so there must be none besides our own.
bool only_own_event_files() {
  std::error_code error;
  const std::filesystem::directory_iterator files(session.directory + "/traces", error);
  const auto is_own = [](const std::filesystem::directory_entry& file) {
    for (LocationWriter* location = LocationWriter::all(); location != nullptr; location = location->next()) {
      if (file.path().filename() == std::to_string(location->location()) + ".evt") {
        return true;
      }
    }
    return false;
  };
  return !error && std::all_of(begin(files), end(files), is_own);
}

// Readers insist on two files for each location.
void add_empty_files(std::uint32_t world_size) {
  constexpr std::uint32_t kMostRanks = 1024;  // an abort must be quick
  const QuietSection quiet;
  for (std::uint32_t rank = 0; rank < std::min(world_size, kMostRanks); ++rank) {
    if (rank != static_cast<std::uint32_t>(world.rank)) {
      const OTF2_LocationRef location = location_of(rank, 0);
      OTF2_Archive_CloseEvtWriter(session.otf2, OTF2_Archive_GetEvtWriter(session.otf2, location));
      OTF2_Archive_CloseDefWriter(session.otf2, OTF2_Archive_GetDefWriter(session.otf2, location));
    }
  }
}

}  // namespace

void complete_archive(Ranks& ranks, const ClockOffset& clock_at_start) {
  complete_event_files();
  const ClockOffset clocks[] = {clock_at_start, measure_clock_offset(ranks)};
  Definitions unified;
  const IdMaps to_global = unify_over_ranks(ranks, own_definitions(ranks, clocks[1]), [&](Definitions& all) {
    unified = std::move(all);
    return finish_definitions(unified);
  });
  const bool local_written = write_own_local_definitions(to_global, clocks);
  const bool all_written = ranks.all(local_written);
  if (!finish_session(unified, local_written, all_written)) {
    say_incomplete();
  }
}

void complete_alone(const ClockOffset& clock_at_start) {
  complete_event_files();
  if (!only_own_event_files()) {
    return;
  }
  const ClockOffset clocks[] = {clock_at_start, {now(), clock_at_start.offset}};
  Unifier unifier;
  const LoadedModules loaded = LoadedModules::of_this_process();
  const IdMaps own = unifier.add(collect_definitions(loaded, loaded.modules(), clock_at_start.offset));
  session.primary = true;
  const IdMaps to_global = finish_definitions(unifier.unified());
  const bool local_written = write_own_local_definitions(compose(own, to_global), clocks);
  add_empty_files(unifier.unified().world_size);
  finish_session(unifier.unified(), local_written, false);
}

}  // namespace waitprof::archive
