// What lies in DIR/unfinished while a program runs: per rank a journal (what its ids mean), per thread its
// event buffer. Written through shared mappings, so that the kernel keeps it even if the process is killed at
// any instruction; read by recover/. Removed when the archive is complete.
//
//   <rank>.journal         JournalHeader | RecordHeader, data | RecordHeader, data | ... | zeros
//   <rank>.<thread>.events EventArea | a chunk of its event file | events ... | an event of type and time 0 |
//   ... [| CallTotals]
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace waitprof::crash_safe {

inline constexpr char kDirectory[] = "unfinished";
inline constexpr char kJournalSuffix[] = ".journal";
inline constexpr char kEventsSuffix[] = ".events";
inline constexpr std::uint64_t kJournalMark =
    0x4a4c4e4750544957;  // "WITPGNLJ": not a text, not an old version
inline constexpr std::uint64_t kEventsMark = 0x5654564550544957;
inline constexpr std::uint32_t kVersion = 17;

struct JournalHeader {
  std::uint64_t mark = kJournalMark;
  std::uint32_t version = kVersion;
  std::uint32_t rank = 0;
  std::uint64_t used = 0;        // bytes after the header that are in use
  std::uint32_t incomplete = 0;  // 1: the disk had no room for more
  std::uint32_t unused[9] = {};
};
static_assert(sizeof(JournalHeader) == 64);

enum class RecordKind : std::uint32_t {
  None,                 // not completely written: nothing after it is read
  Process,              // definitions/recording_facts.hpp: ProcessStart
  Calls,                // by call: its RegionRole (1 byte), its name and a zero
  CallPath,             // CallPathRecord
  Module,               // ModuleRecord, then the build id, then the path and a zero
  UserRegion,           // UserRegionRecord, then the name and a zero
  LocalRegion,          // std::uint32_t: the region that got the next id in the event files
  CommunicatorCreated,  // std::uint32_t: id whose creation is in the event files
  Communicator,         // CommunicatorRecord, then runs of members and remote members, then numbers
  CommunicatorName,     // std::uint32_t id, then the name and a zero
  Window,               // WindowRecord
  WindowName,           // std::uint32_t id, then the name and a zero
  RankGroup,            // ArrayRecord, then world ranks (int)
  PeerList,             // ArrayRecord, then PeerRun each, see peer_lists.hpp
  Ended,                // EndRecord
  LimitReached,         // LimitRecord
  OtherProcesses,       // OtherProcessesRecord; the last one counts
  ClockCompared,        // ClockRecord; by one rank of each machine
};

struct RecordHeader {
  RecordKind kind = RecordKind::None;  // stored last
  std::uint32_t bytes = 0;             // size of the data; the next record begins at the next multiple of 8
};

struct CallPathRecord {
  std::uint32_t id = 0, parent = 0;
  std::uint64_t address = 0;
  std::uint64_t exact = 0;
};

struct ModuleRecord {
  std::uint64_t begin = 0, end = 0;  // addresses of its code
  std::uint64_t bias = 0;            // address minus address as linked
  std::uint64_t build_id_bytes = 0;
};

struct UserRegionRecord {
  std::uint64_t address = 0;  // 0: by name
  std::uint32_t id = 0;
  std::uint32_t of_library = 0;  // 1: by name, and no mark of the user's
};

struct MembersRecord {
  std::int64_t first = 0, step = 1;
  std::uint64_t count = 0;
};

struct CommunicatorRecord {
  std::uint64_t key = 0, parent_key = 0;
  std::uint32_t id = 0;
  std::uint32_t topology = 0;
  std::uint32_t member_runs = 0, remote_runs = 0;  // MembersRecord each
  std::int32_t rank = 0;
  std::uint32_t dims = 0, periods = 0, edges = 0;  // std::int32_t each
};

struct WindowRecord {
  std::uint64_t key = 0;
  std::uint32_t id = 0;
  std::uint32_t comm = 0;
};

struct ArrayRecord {
  std::uint32_t id = 0, count = 0;
};

enum class EndKind : std::uint32_t { Abort, Exit, LastSession };

struct EndRecord {
  std::uint64_t time = 0;
  EndKind kind = EndKind::Abort;
  std::int32_t code = 0;  // Abort: code of MPI_Abort; LastSession: number of missing events
};

struct LimitRecord {
  std::uint64_t time = 0;  // events after this time do not count
  std::uint64_t mebibytes = 0;
};

struct OtherProcessesRecord {
  std::uint32_t spawned = 0, connected = 0;  // OtherJobs
};

struct ClockRecord {  // ClockOffset
  std::uint64_t time = 0;
  std::int64_t offset = 0;
  std::uint64_t error = 0;
};

// WAITPROF_PROFILE=light: the event buffer is divided into slots. Each holds the events of one excerpt of the
// run, up to an event of zeros.
inline constexpr std::uint64_t kFirstExcerpt = 0;
inline constexpr std::uint64_t kNoExcerpt = UINT64_MAX;        // the slot is free
inline constexpr std::uint64_t kLastExcerpt = UINT64_MAX - 1;  // MPI_Finalize; until then the current one
inline constexpr std::uint32_t kMostExcerpts = 16;             // besides the first and the last one

struct ExcerptSlot {
  std::uint64_t number = kNoExcerpt;
  std::uint32_t first = 0, room = 0;  // events of the buffer
};

struct ExcerptSlots {
  std::uint32_t count = 0;          // 0: the buffer is not divided
  std::uint32_t totals_offset = 0;  // where CallTotals begin in the file, in pages
  ExcerptSlot slot[kMostExcerpts + 2];
};

// What a thread saw and left out of its events.
struct LeftOut {
  std::uint64_t dropped_events = 0, dropped_samples = 0;  // no room
  std::uint64_t filtered_regions = 0;  // enters of user regions that WAITPROF_FILTER_FUNCTIONS leaves out
  std::uint64_t untracked = 0;         // messages and collectives in callbacks, or over unknown communicators
  std::uint64_t failed_polls = 0;      // MPI_Test*, MPI_Iprobe ... that found nothing
  std::uint64_t path_walks_ns = 0;     // spent on call paths that were walked, not recognised
  std::uint64_t upkeep_ns = 0;         // spent on samples, flushes and readings of what the process uses
  std::uint64_t lost_handles = 0;      // communicators, windows and files for which there was no room
  std::uint64_t unsampled_threads = 0;  // the most at one time that never call MPI and have no timer
  std::uint64_t lost_switches = 0;      // switches of the thread for which the kernel had no room
  std::uint64_t untimed_operators = 0;  // reduction operators of the program, of which there were too many
  std::uint64_t cut_short_calls = 0;    // system calls that a sample has ended with EINTR

  void operator+=(const LeftOut& more) noexcept {
    dropped_events += more.dropped_events;
    dropped_samples += more.dropped_samples;
    filtered_regions += more.filtered_regions;
    untracked += more.untracked;
    failed_polls += more.failed_polls;
    path_walks_ns += more.path_walks_ns;
    upkeep_ns += more.upkeep_ns;
    lost_handles += more.lost_handles;
    unsampled_threads += more.unsampled_threads;
    lost_switches += more.lost_switches;
    untimed_operators += more.untimed_operators;
    cut_short_calls += more.cut_short_calls;
  }
};

// The row of failed polls that the thread was in (buffer/poll_row.hpp), as last written here. The row is over
// if any event of the thread does not lie before it.
struct OpenRow {
  std::uint64_t first = 0, judged = 0;  // ns
  std::uint32_t polls = 0;              // 0: none
  std::uint32_t region = 0, call_path = 0;
  std::uint32_t unused = 0;
};

// First page of an event file; all times as on the rank's clock.
struct EventArea {
  std::uint64_t mark = kEventsMark;
  std::uint32_t version = kVersion;
  std::uint32_t rank = 0, thread = 0;
  std::uint32_t capacity = 0;  // events, including the last one, which is always 0
  // Low half: how many events of the buffer are OTF2 records already; high half: how many OTF2 records
  // (modulo 2^32) the location has by then. One store, so that a kill leaves both or neither.
  std::uint64_t progress = 0;
  std::uint64_t first_time = 0, last_time = 0;  // of the events that have left the buffer
  std::uint64_t last_seen = 0;                  // the thread still ran then
  LeftOut left_out;                             // as last written
  OpenRow open_row;
  ExcerptSlots excerpts;
};

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kChunkOffset = kPage;
inline constexpr std::size_t kChunkRoom = 256 * 1024;
inline constexpr std::size_t kEventsOffset = kChunkOffset + kChunkRoom;
static_assert(sizeof(EventArea) <= kPage && kEventsOffset % kPage == 0);

}  // namespace waitprof::crash_safe
