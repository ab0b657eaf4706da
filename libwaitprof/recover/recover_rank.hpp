// One rank's part of a recovery: its events into the session's archive, its ids as definitions.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libwaitprof/definitions/clock_offset.hpp"
#include "libwaitprof/definitions/definitions.hpp"
#include "libwaitprof/records/local_ids.hpp"
#include "libwaitprof/records/location_writer.hpp"
#include "libwaitprof/recover/read_journal.hpp"

namespace waitprof::archive {

class RankRecovery {
 public:
  // `old_files`: directory of the event files that the process left; the archive goes to `target`.
  RankRecovery(RankTables tables, std::string old_files, std::string target);

  // Writes a thread's event file. Returns what is wrong, or "".
  std::string add_thread(std::uint32_t thread, const std::string& file, const CommonExcerpts& common);

  // Called after the last thread.
  Definitions definitions() const;
  std::vector<OTF2_LocationRef> locations() const;
  std::vector<ClockOffset> clocks() const;  // the last known offset holds until the end

 private:
  std::int64_t last_offset() const;
  // True if the last session ended, so that nothing is missing. A rank that reached MPI_Finalize leaves no
  // journal.
  bool finished() const { return tables_.end && tables_.end->kind == crash_safe::EndKind::LastSession; }
  Region region(const LoadedModules& loaded, std::uint32_t number) const;

  RankTables tables_;
  std::string old_files_, target_;
  std::unique_ptr<LocalIds> ids_;
  Rank rank_;
};

}  // namespace waitprof::archive
