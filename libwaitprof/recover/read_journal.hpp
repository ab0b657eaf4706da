// What the files in DIR/unfinished say: one rank's journal as tables, one thread's event buffer. Nothing in
// them is trusted: a record that makes no sense ends the journal.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libwaitprof/buffer/call_totals.hpp"
#include "libwaitprof/buffer/event.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/definitions/modules.hpp"
#include "libwaitprof/definitions/recording_facts.hpp"
#include "libwaitprof/schema/crash_safe_layout.hpp"

namespace waitprof::archive {

// A file mapped into memory, copied on write.
class FileView {
 public:
  explicit FileView(const std::string& path) noexcept;
  ~FileView();
  FileView(FileView&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})), inode_(other.inode_), error_(other.error_) {}
  FileView(const FileView&) = delete;
  FileView& operator=(const FileView&) = delete;
  FileView& operator=(FileView&&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  std::uint64_t inode() const { return inode_; }
  int error() const { return error_; }  // errno; 0: good

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t inode_ = 0;
  int error_ = 0;
};

struct RankTables {
  struct UserRegion {
    std::string name;
    std::uint64_t address = 0;
    bool of_library = false;
  };
  ProcessStart start;
  std::vector<std::pair<RegionRole, std::string>> calls;
  std::vector<CallPathNode> call_paths;  // id - 1
  std::vector<Module> modules;
  std::vector<LoadedModules::Segment> segments;
  std::map<std::uint32_t, UserRegion> user_regions;
  std::vector<std::uint32_t> local_regions, created_communicators;
  std::vector<Communicator> communicators;
  std::vector<Window> windows;
  std::vector<RankGroup> groups;             // id - 1
  std::vector<std::string> peer_lists;       // id - 1, as strings of the archive
  std::optional<crash_safe::EndRecord> end;  // the first
  std::optional<crash_safe::LimitRecord> limit;
  crash_safe::OtherProcessesRecord other_processes;
  std::vector<ClockOffset> clocks;  // measured after the start, in time order, by the machine's first rank
  bool incomplete = false;          // the disk had no room for all of it
};

// Empty: not a journal, or of another version, or cut off before it says which rank it belongs to.
std::optional<RankTables> read_journal(std::span<const std::byte> bytes);

// The version of a journal's format; 0: it is not a journal.
std::uint32_t journal_version(std::span<const std::byte> bytes);

// One thread's events that were not in its OTF2 file yet, and the OTF2 chunk in progress. They point into the
// FileView.
struct BufferedEvents {
  crash_safe::EventArea area;
  std::span<const std::byte> chunk;
  std::span<const Event> converted, rest;  // already OTF2 records; not yet
  std::span<const CallTotals> totals;      // one, or none
  std::vector<Event> joined;               // WAITPROF_PROFILE=light: the excerpts; then `rest` points here
};
class CommonExcerpts;  // read_excerpts.hpp
std::optional<BufferedEvents> read_event_buffer(std::span<const std::byte> bytes,
                                                const CommonExcerpts& common);

}  // namespace waitprof::archive
