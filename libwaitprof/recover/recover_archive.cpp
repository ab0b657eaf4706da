// Works as at MPI_Finalize, with the journals in place of the ranks: events, definitions, unification, anchor
// last. If the archive is to stay in its directory, everything is written to unfinished/recovered first and
// then moved: a recovery that is killed can be repeated.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/recover/recover_archive.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "libwaitprof/definitions/name_functions.hpp"
#include "libwaitprof/definitions/unify.hpp"
#include "libwaitprof/definitions/write_definitions.hpp"
#include "libwaitprof/recover/read_excerpts.hpp"
#include "libwaitprof/recover/read_journal.hpp"
#include "libwaitprof/recover/recover_rank.hpp"
#include "libwaitprof/recover/running_process.hpp"
#include "libwaitprof/schema/crash_safe_layout.hpp"
#include "libwaitprof/schema/file_checks.hpp"
#include "libwaitprof/trace_files/archive_file.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"

namespace waitprof::archive {
namespace {

namespace fs = std::filesystem;

// At most this many missing ranks for each rank that left a journal; a larger number is damaged.
constexpr std::size_t kMostMissing = 256;
constexpr std::uint64_t kWallClockError = 10'000'000;  // ns; clocks of nodes differ by less with network time
constexpr char kAnchor[] = "traces.otf2", kGlobal[] = "traces.def", kLocal[] = "traces";
constexpr char kRecoveredPart[] = "recovered", kOldFiles[] = "traces-before";

// "12.3.events" without ".events": "12.3"; empty if the name ends in something else.
std::string stem_of(const fs::path& file, std::string_view suffix) {
  const std::string name = file.filename().string();
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : "";
}

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

class Recoverer {
 public:
  // `in_place`: what the archive was made of goes away.
  Recoverer(std::vector<fs::path> directories, const fs::path& target, bool in_place)
      : directories_(std::move(directories)), target_(target), in_place_(in_place) {}

  Recoverer(const Recoverer&) = delete;
  Recoverer& operator=(const Recoverer&) = delete;
  ~Recoverer() {
    if (opened_ && session.otf2 != nullptr) {  // an exception was thrown
      session.primary = false;                 // no anchor
      close_session();
    }
  }

  Recovery recover() {
    for (const fs::path& directory : directories_) {
      find_files(directory);
    }
    if (files_.empty()) {
      nothing_there();
    }
    open();
    find_common_excerpts();
    for (const auto& [rank, files] : files_) {
      add_rank(rank, files);
    }
    if (ranks_.empty()) {
      nothing_there();
    }
    write();
    return std::move(result_);
  }

 private:
  struct Files {
    fs::path journal;
    fs::path traces;                           // the directory of its OTF2 files
    std::map<std::uint32_t, fs::path> events;  // by thread
  };

  [[noreturn]] void nothing_there() const {
    throw std::runtime_error(
        "nothing can be recovered from " + unfinished() +
        ": no rank left a journal (the program ended in MPI_Init, or its buffers were kept in "
        "memory: WAITPROF_CRASH_SAFE=off, or no room on the disk)");
  }

  void find_files(const fs::path& directory) {
    const fs::path unfinished = directory / crash_safe::kDirectory, moved = unfinished / kOldFiles;
    const fs::path traces = fs::exists(moved) ? moved : directory / kLocal;
    for (const auto& entry : fs::directory_iterator(unfinished)) {
      const std::string journal = stem_of(entry.path(), crash_safe::kJournalSuffix);
      const std::string events = stem_of(entry.path(), crash_safe::kEventsSuffix);
      const std::size_t dot = events.find('.');
      if (const auto rank = number(journal)) {
        if (const fs::path& other = files_[*rank].journal; !other.empty()) {
          throw std::runtime_error(
              entry.path().string() + " and " + other.string() +
              " are of the same rank: name each node's directory once, and those of one run only");
        }
        files_[*rank].journal = entry.path();
        files_[*rank].traces = traces;
      } else if (const auto of = number(events.substr(0, dot)); of && dot != events.npos) {
        if (const auto thread = number(std::string_view(events).substr(dot + 1))) {
          files_[*of].events[*thread] = entry.path();
        }
      }
    }
  }

  void find_common_excerpts() {
    for (const auto& [rank, files] : files_) {
      if (const auto first = files.events.find(0); first != files.events.end()) {
        common_.add(FileView(first->second.string()).bytes());
      }
    }
    if (const std::size_t left_out = common_.left_out(); left_out > 0) {
      result_.troubles.push_back(
          (left_out == 1 ? "1 excerpt is" : std::to_string(left_out) + " excerpts are") +
          " left out, which only some ranks had at the end");
    }
  }

  void open() {
    opened_ = true;
    if (!open_session(target_.string(), true)) {
      throw std::runtime_error("cannot write to " + target_.string() + " (" + last_error() +
                               "); recover into another directory with --output DIR");
    }
  }

  void add_rank(std::uint32_t rank, const Files& files) {
    const FileView journal(files.journal.string());
    if (const std::uint32_t version = journal_version(journal.bytes());
        version != 0 && version != crash_safe::kVersion) {
      throw std::runtime_error("cannot recover " + unfinished() +
                               ": another build of WaitProf left it (files of version " +
                               std::to_string(version) + ", this one reads version " +
                               std::to_string(crash_safe::kVersion) + "); use the waitdiag of that build");
    }
    std::optional<RankTables> tables = read_journal(journal.bytes());
    const bool plausible = tables && tables->start.world_size / kMostMissing <= files_.size();
    if (!plausible || tables->start.rank.rank != rank) {
      result_.troubles.push_back("rank " + std::to_string(rank) + " left no readable journal");
      return;
    }
    if (process_keeps_mapped(tables->start.rank.process, tables->start.rank.boot, journal.inode())) {
      throw std::runtime_error("the program is still running (rank " + std::to_string(rank) + " is process " +
                               std::to_string(tables->start.rank.process) + "): wait for its end");
    }
    if (!tables->end && of_other_boot(tables->start.rank.boot) && written_to()) {
      throw std::runtime_error("the program is still running on another node (it writes to " + unfinished() +
                               "): wait for its end");
    }
    add_part(tables->start);
    if (tables->incomplete) {
      result_.troubles.push_back("rank " + std::to_string(rank) +
                                 ": the disk was full, so the last call paths have no names");
    }
    if (tables->start.alone) {
      result_.sessions = true;
      compare_wall_clocks(tables->start);
    }
    share_clock(*tables);
    RankRecovery recovered(std::move(*tables), files.traces.string(), target_.string());
    for (const auto& [thread, file] : files.events) {
      if (const std::string trouble = recovered.add_thread(thread, file.string(), common_);
          !trouble.empty()) {
        result_.troubles.push_back("rank " + std::to_string(rank) + ": " + trouble);
      }
    }
    Definitions definitions = recovered.definitions();
    for (const Thread& thread : definitions.ranks.front().threads) {
      result_.events += thread.events;
      written_.insert(location_of(rank, thread.thread));
    }
    ranks_.push_back({rank, recovered.locations(), recovered.clocks(), unifier_.add(std::move(definitions))});
  }

  bool written_to() {
    if (!written_to_) {
      std::vector<std::string> buffers;
      for (const auto& [rank, files] : files_) {
        for (const auto& [thread, file] : files.events) buffers.push_back(file.string());
      }
      written_to_ = files_keep_changing(buffers);
    }
    return *written_to_;
  }

  void add_part(const ProcessStart& start) {
    result_.parts = result_.parts || start.part_of_node;
    if (result_.parts && in_place_ && files_.size() < start.world_size) {
      throw std::runtime_error(
          directories_.front().string() + " holds " + std::to_string(files_.size()) + " of " +
          std::to_string(start.world_size) +
          " ranks: its nodes do not share it, and each kept a part. Copy the other nodes' files into it, or "
          "name all "
          "parts: waitdiag recover DIR DIR2 ... --output NEW (DIR alone makes an archive of its own ranks)");
    }
  }

  // Processes that did not talk to each other know their nodes' wall clocks.
  void compare_wall_clocks(ProcessStart& start) {
    if (!reference_) {
      reference_ = start;
    }
    if (start.rank.boot != reference_->rank.boot) {
      start.clock.offset = start.recording.realtime_offset - reference_->recording.realtime_offset;
      if (!wall_clocks_) {
        result_.troubles.emplace_back(
            "clocks of different nodes were not compared: their wall clocks are taken to agree to 10 ms");
      }
      wall_clocks_ = true;
    }
  }

  // Of ranks that share a clock, the first one compared it for all of them: the others take over its
  // comparisons.
  void share_clock(RankTables& tables) {
    if (tables.start.rank.boot != 0) {
      const std::pair clock{tables.start.rank.boot, tables.start.clock.time};
      tables.clocks = clocks_.try_emplace(clock, tables.clocks).first->second;
    }
  }

  void write() {
    Definitions& unified = unifier_.unified();
    result_.ranks = static_cast<std::uint32_t>(ranks_.size());
    result_.world_size = unified.world_size;
    result_.finished = unified.finished && result_.ranks == result_.world_size;
    if (wall_clocks_) {
      unified.ranks.front().clock_error = kWallClockError;
    }
    name_functions(unified);
    const GlobalIds ids = write_global_definitions(session.otf2, unified);
    bool good = ids.good;
    OTF2_Archive_OpenDefFiles(session.otf2);
    for (const RecoveredRank& rank : ranks_) {
      good =
          write_local_definitions(session.otf2, rank.locations, compose(rank.ids, ids.maps), rank.clocks) &&
          good;
    }
    good = add_missing_ranks(ids.maps) && good;
    OTF2_Archive_CloseDefFiles(session.otf2);
    unified.file_checks = schema::global_checks(target_.string());
    for (const OTF2_LocationRef location : written_) {
      unified.file_checks += schema::location_checks(target_.string(), location);
    }
    good = write_properties(session.otf2, unified, unified.finished) && good;
    good = close_session() && good && incomplete_files() == incomplete_before_;
    if (!good) {
      throw std::runtime_error("cannot write the recovered archive to " + target_.string() + " (" +
                               last_error() + ")");
    }
  }

  // Readers require two files for each location.
  bool add_missing_ranks(const IdMaps& maps) {
    bool good = true;
    IdMaps none;
    none.definition_chunk = maps.definition_chunk;
    for (std::uint32_t rank = 0; rank < unifier_.unified().world_size; ++rank) {
      const OTF2_LocationRef location = location_of(rank, 0);
      if (!written_.contains(location)) {
        OTF2_Archive_CloseEvtWriter(session.otf2, OTF2_Archive_GetEvtWriter(session.otf2, location));
        good = write_local_definitions(session.otf2, {&location, 1}, none, {}) && good;
        written_.insert(location);
      }
    }
    return good;
  }

  struct RecoveredRank {
    std::uint32_t rank = 0;
    std::vector<OTF2_LocationRef> locations;
    std::vector<ClockOffset> clocks;
    IdMaps ids;
  };

  std::string unfinished() const { return (directories_.front() / crash_safe::kDirectory).string(); }

  std::vector<fs::path> directories_;
  fs::path target_;
  bool in_place_;
  bool opened_ = false;
  std::map<std::uint32_t, Files> files_;
  CommonExcerpts common_;
  Unifier unifier_;
  std::optional<ProcessStart> reference_;
  bool wall_clocks_ = false;
  std::optional<bool> written_to_;  // not looked at yet
  // Keyed by boot identity and time of the first comparison.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<ClockOffset>> clocks_;
  std::vector<RecoveredRank> ranks_;
  std::set<OTF2_LocationRef> written_;
  Recovery result_;
  const int incomplete_before_ = incomplete_files();
};

// The anchor last: until then it is still an unfinished archive.
void move_into_place(const fs::path& directory) {
  const fs::path unfinished = directory / crash_safe::kDirectory, recovered = unfinished / kRecoveredPart;
  if (!fs::exists(unfinished / kOldFiles) && fs::exists(directory / kLocal)) {
    fs::rename(directory / kLocal, unfinished / kOldFiles);
  }
  fs::remove_all(directory / kLocal);
  for (const char* name : {kLocal, kGlobal, kAnchor}) {
    fs::rename(recovered / name, directory / name);
  }
  std::error_code rest;  // files that cannot be removed do no harm
  fs::remove_all(unfinished, rest);
}

}  // namespace

bool is_unfinished(const std::string& directory) {
  std::error_code error;
  return fs::is_directory(fs::path(directory) / crash_safe::kDirectory, error) &&
         !fs::exists(fs::path(directory) / kAnchor, error);
}

Recovery recover_archive(const std::vector<std::string>& directories, const std::string& target) {
  const std::string& directory = directories.front();
  try {
    if (!target.empty()) {
      return Recoverer({directories.begin(), directories.end()}, target, false).recover();
    }
    const fs::path recovered = fs::path(directory) / crash_safe::kDirectory / kRecoveredPart;
    fs::remove_all(recovered);
    fs::create_directory(recovered);
    Recovery result = Recoverer({directory}, recovered, true).recover();
    move_into_place(directory);
    return result;
  } catch (const fs::filesystem_error& error) {
    throw std::runtime_error("cannot recover " + directory + ": " + error.code().message() + " (" +
                             error.path1().string() + "); recover into another directory with --output DIR");
  }
}

}  // namespace waitprof::archive
