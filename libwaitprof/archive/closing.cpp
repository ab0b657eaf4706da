// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/closing.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libwaitprof/archive/closing_steps.hpp"
#include "libwaitprof/archive/collect.hpp"
#include "libwaitprof/archive/guarded.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/definitions/write_definitions.hpp"
#include "libwaitprof/surroundings/quiet_section.hpp"
#include "libwaitprof/surroundings/used_time.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"

namespace waitprof::archive {
namespace {

constexpr char kCompleting[] = "completing the archive";

// This rank's part of a step, which may fail for lack of memory in the middle; even then, as after any
// failure, the others wait for its message.
template <typename Part>
bool own_part(const Part& part) noexcept {
  bool good = false;
  const bool through = guarded(kCompleting, [&] {
    good = part();
    return true;
  });
  if (through && !good && !session.failed) {
    guarded(kCompleting, [] {
      say_incomplete();
      return true;
    });
  }
  return good;
}

bool collect_own(Ranks& ranks, std::span<const ClockOffset> clocks, Definitions& own) noexcept {
  std::optional<LoadedModules> loaded;
  Blob modules;
  const bool prepared = own_part([&] {
    loaded = LoadedModules::of_this_process_so_far();
    modules = ranks.rank() == 0 ? to_blob(loaded->modules()) : Blob{};
    return true;
  });
  ranks.broadcast(modules);
  return prepared && own_part([&] {
           std::vector<Module> at_rank_0;
           from_blob(modules, at_rank_0);  // without them more functions are named than necessary
           own = collect_definitions(*loaded, at_rank_0, clocks.back().offset);
           own.ranks.front().clock_error =
               std::max_element(
                   clocks.begin(), clocks.end(),
                   [](const ClockOffset& one, const ClockOffset& other) { return one.error < other.error; })
                   ->error;
           return true;
         });
}

bool write_own_local_definitions(const IdMaps& to_global, std::span<const ClockOffset> clocks) {
  const QuietSection quiet;
  OTF2_Archive_OpenDefFiles(session.otf2);
  const bool written = write_local_definitions(session.otf2, own_locations(), to_global, clocks);
  OTF2_Archive_CloseDefFiles(session.otf2);
  return written;
}

std::string own_file_checks() noexcept {
  std::string checks;
  own_part([&] {
    checks = file_checks(own_locations());
    return true;
  });
  return checks;
}

}  // namespace

void complete_archive(Ranks& ranks, ClockOffsets& clock_offsets) noexcept {
  const Stopwatch taken;
  const bool recoverable = ranks.all(has_journal());
  if (!ranks.all(own_part(complete_event_files))) {
    if (recoverable) {
      return;
    }
    cut_event_files();
  }
  const std::span<const ClockOffset> clocks = clock_offsets.finish();
  Definitions own, unified;
  if (!ranks.all(collect_own(ranks, clocks, own))) {
    return;
  }
  const IdMaps to_global = unify_over_ranks(ranks, std::move(own), [&](Definitions&& all) {
    unified = std::move(all);
    return finish_definitions(unified);
  });
  const bool local_written = own_part([&] { return write_own_local_definitions(to_global, clocks); });
  const bool all_written = ranks.all(local_written);
  if (!all_written && recoverable) {
    return;
  }
  unified.file_checks = ranks.gather(own_file_checks());
  unified.end_cost = world.end_cost + taken.passed();
  unified.end_ran = world.end_ran + taken.ran();
  own_part([&] { return finish_session(unified, local_written, all_written); });
}

}  // namespace waitprof::archive
