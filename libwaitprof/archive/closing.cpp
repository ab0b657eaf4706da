// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/closing.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "libwaitprof/archive/closing_steps.hpp"
#include "libwaitprof/archive/collect.hpp"
#include "libwaitprof/archive/otf2_session.hpp"
#include "libwaitprof/archive/write_definitions.hpp"
#include "libwaitprof/record/quiet_section.hpp"

namespace waitprof::archive {
namespace {

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

bool write_own_local_definitions(const IdMaps& to_global, std::span<const ClockOffset> clocks) {
  const QuietSection quiet;
  OTF2_Archive_OpenDefFiles(session.otf2);
  const bool written = write_local_definitions(session.otf2, own_locations(), to_global, clocks);
  OTF2_Archive_CloseDefFiles(session.otf2);
  return written;
}

}  // namespace

void complete_archive(Ranks& ranks, ClockOffsets& clock_offsets) {
  complete_event_files();
  const std::vector<ClockOffset> clocks = clock_offsets.finish();
  Definitions unified;
  const IdMaps to_global = unify_over_ranks(ranks, own_definitions(ranks, clocks), [&](Definitions&& all) {
    unified = std::move(all);
    return finish_definitions(unified);
  });
  const bool local_written = write_own_local_definitions(to_global, clocks);
  const bool all_written = ranks.all(local_written);
  unified.file_checks = ranks.gather(file_checks(own_locations()));
  if (!finish_session(unified, local_written, all_written)) {
    say_incomplete();
  }
}

}  // namespace waitprof::archive
