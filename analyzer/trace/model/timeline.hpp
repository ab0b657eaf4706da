// One location at rest: columns of MPI operations, the message ends and collective parts that belong to
// them, and what ran in the gaps between two operations.
//
//   gap 0 | op 0 | gap 1 | op 1 | ... | op n-1 | gap n
//
// Operations of one location never overlap and are in time order. A gap's length is exact; what ran in it is
// known exactly (pieces with a call path) or only through samples (pieces without one).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/trace/model/definitions.hpp"
#include "analyzer/trace/model/ids.hpp"
#include "analyzer/trace/model/message_column.hpp"  // IWYU pragma: export
#include "analyzer/trace/model/row_offsets.hpp"
#include "analyzer/trace/model/time.hpp"

namespace waitdiag {

// One participant's part in a collective operation.
struct CollectivePart {
  Time begin{}, end{};  // of the collective records (not of the enclosing region)
  std::uint64_t sent = 0, received = 0;
  std::uint32_t op = kNoOp;         // operation that started it
  std::uint32_t completed = kNoOp;  // operation that completed it (== op when blocking)
  CommId comm = kNoComm;
  Rank root = kNoRank;  // world rank, kNoRank when not rooted
  CollectiveKind kind = CollectiveKind::Other;
  PeerListId peers = kNoPeerList;  // operations whose blocks differ; kNoPeerList: unknown
  bool nonblocking() const { return completed != op; }
};

// One-sided communication: operations on the memory of another process, and what opens and closes epochs.
struct RmaRecord {
  // Flush: complete on both sides; Done: only on its own side (MPI_Wait for a request, MPI_Win_flush_local).
  enum class What : std::uint8_t { Put, Get, Atomic, Start, Complete, Post, Wait, Lock, Unlock, Flush, Done };
  Time time{};
  std::uint64_t bytes = 0;     // operations: sent and received
  std::uint64_t returned = 0;  // Atomic: the part of `bytes` that comes back (MPI_Fetch_and_op)
  std::uint64_t number = 0;    // operations, Flush, Done: which belong together on this location and window
  std::uint32_t op = kNoOp;
  CommId window = kNoComm;         // the window's entry among the communicators
  Rank target = kNoRank;           // world rank; kNoRank: all, or (Flush) unknown
  PeerListId group = kNoPeerList;  // Start to Wait: world ranks of the other side, in `sent`
  What what = What::Put;
  bool exclusive = false;  // Lock
};

// Exclusive time of one call path inside one gap, and how often it was entered there; `call_path ==
// kNoCallPath`: not instrumented, known through the gap's samples.
struct ComputationPiece {
  CallPathId call_path = kNoCallPath;
  std::uint32_t visits = 0;
  Duration time{};
};

struct ComputationSample {
  CallPathId call_path = kNoCallPath;
  std::uint32_t weight = 1;  // number of sampling periods that it represents
};

// The user said that a time step begins here. Pieces and samples of the gap are divided there: the indices of
// the first ones after the mark, among all of the timeline.
struct StepMark {
  Time time{};
  std::uint32_t op = 0;  // the next operation: the mark lies in the gap before it
  std::uint32_t piece = 0, sample = 0;
  std::uint64_t number = 0;  // the program's number; the same as before: that step continues
  friend bool operator==(const StepMark&, const StepMark&) = default;
};

// A gap, or the part of it between two step marks.
struct GapPart {
  std::uint32_t gap = 0;
  bool first = true, last = true;  // adjoins the operation before the gap, the one after it
  Time begin{}, end{};
  std::uint32_t first_piece = 0, last_piece = 0, first_sample = 0, last_sample = 0;  // [first, last)
  Duration length() const { return end - begin; }
  bool empty() const { return begin == end && first_piece == last_piece && first_sample == last_sample; }
};

// From entering an outermost user region (Region::divisible) to leaving it, whatever lies in between.
struct UserRegion {
  Time begin{}, end{};
  RegionId region = kNoRegion;
  friend bool operator==(const UserRegion&, const UserRegion&) = default;
};

// What the process had used and the node was doing at some time.
// Page faults of a process so far, without a disk and with one, and how often its threads went to another processor.
struct Faults {
  std::uint64_t minor = 0, major = 0, migrations = 0;
  friend bool operator==(const Faults&, const Faults&) = default;
};
struct UsageReading {
  Time time{};
  Duration processor_time{};   // of all its threads, since it started
  std::uint64_t resident = 0;  // bytes of memory
  std::uint32_t runnable = 0;  // threads of the whole node that ran or wanted to
  std::uint32_t op = 0;        // lies before this operation
  std::optional<Faults> faults{};
  std::optional<Duration> stolen{};  // from the node's processors, by the host of a virtual machine, added up
  std::optional<Duration> node_busy{};  // of the node's processors together, whoever ran, added up
};

// What a thread executed in the program's code, and in how many cycles, where there are hardware counters.
struct WorkCounts {
  std::uint64_t instructions = 0, cycles = 0;
  friend bool operator==(const WorkCounts&, const WorkCounts&) = default;
};
struct CountedWork {
  std::uint32_t op = 0;  // in the gap before this operation
  WorkCounts counts{};
  friend bool operator==(const CountedWork&, const CountedWork&) = default;
};

// What an operation on a file (MPI_File_*) moved or, if nonblocking, was asked to move.
struct FileAccess {
  std::uint64_t bytes = 0;
  std::uint32_t op = kNoOp;
};

// What all calls of a library (Region::library) in which the program waited, on one call path, moved.
struct LibraryBytes {
  CallPathId call_path = kNoCallPath;
  std::uint64_t bytes = 0;
};

// A call that asks whether something is done (MPI_Test, MPI_Iprobe) and stands for a row of such calls,
// entered by the first of them: `in_vain` calls before its own found nothing.
struct PollRecord {
  std::uint64_t in_vain = 0;
  std::uint32_t op = kNoOp;
  Time last{};  // of looks into a window: when the last one that found nothing began
};

// A call in which the thread lost its processor to another one although it could have run: for how long.
struct PreemptedCall {
  Duration time{};
  std::uint32_t op = kNoOp;
};

// After a stretch about which nothing is known, a part of the run that was recorded in full begins: an
// excerpt of the recorder's light profile, or what lies between two pauses. Numbers are the same on all
// ranks; what lies before the first mark is excerpt 0.
struct ExcerptMark {
  std::uint32_t op = 0;  // the first operation behind it
  std::uint64_t number = 0;
};

// The measurement is switched off, or on again.
struct MeasurementSwitch {
  Time time{};
  bool on = false;
};

// The total of all calls of a call path, in excerpts or not.
struct CallTotal {
  CallPathId call_path =
      kNoCallPath;  // ends in the MPI call's region; kNoCallPath: of several, not known which
  std::uint64_t calls = 0;
  Duration time{}, shortest{}, longest{};         // the latter two of one call
  std::uint64_t messages = 0, message_bytes = 0;  // sent point-to-point
  std::uint64_t collective_bytes = 0;             // sent in collective operations
};

// The total of all regions with a team of threads (OpenMP) that this thread opened on one call path.
struct ParallelTotal {
  CallPathId call_path = kNoCallPath;  // of who opened them
  std::uint64_t regions = 0;
  Duration time{};               // of this thread, from opening to the end of the team
  Duration slowest{};            // of the thread that computed longest between each two barriers
  std::vector<Duration> busy{};  // by thread of the team, without waiting for others
  std::uint64_t left_out = 0;    // further regions, of whose threads not all is known
  Duration with_turns{};  // as `slowest`, if waiting for critical and ordered sections and locks counts
  Duration barriers{};    // from when all had come to a barrier until it had ended
  std::vector<Duration> turns{};  // by thread of the team, waiting for such sections and locks
  Duration with_tasks{};          // as `with_turns`, if waiting for tasks counts, too
  Duration tasks{};               // of all threads, waiting for tasks
  friend bool operator==(const ParallelTotal&, const ParallelTotal&) = default;
};

// A thread that this location was for a time: the program started and, perhaps, joined it. Or a stretch of one, up to
// where it woke another one, since it was woken itself or last did so.
struct ThreadLife {
  std::uint64_t number = 0;  // of the thread, or the wake, among those of the run
  std::uint64_t since = 0;   // of a stretch, the wake at which it begins; 0: none, or not known
  std::uint64_t of = 0;      // of a stretch, the thread; 0: not known
  Time begin{}, end{};
  bool ended = false;                      // else it is not known when it did
  CallPathId function = kNoCallPath;       // its first one
  std::vector<ComputationPiece> pieces{};  // what is known exactly, if it calls no MPI: where it was blocked
  std::vector<ComputationSample> samples{};
  std::uint32_t before = kNoOp, behind = kNoOp;  // operations: no thread is there; kNoOp: it calls no MPI
};
// The thread started another one.
struct ThreadStart {
  std::uint64_t number = 0;
  std::uint32_t op = kNoOp;  // kNoOp: not an operation
  CallPathId caller = kNoCallPath;
};
// The thread waited for the end of another one, or until another one woke it.
struct ThreadJoin {
  enum class For : std::uint8_t { End, Wake } what = For::End;
  std::uint64_t number = 0;
  Time begin{}, end{};
  std::uint32_t op = kNoOp;  // kNoOp: not an operation
  std::uint32_t gap = 0;
  CallPathId blocked = kNoCallPath;  // whose piece of the gap has the time
};

class Timeline {
 public:
  std::size_t size() const { return enter_.size(); }
  Time enter(std::uint32_t op) const { return enter_[op]; }
  Time leave(std::uint32_t op) const { return leave_[op]; }
  Duration length(std::uint32_t op) const { return leave_[op] - enter_[op]; }
  std::span<const Time> enters() const { return enter_; }                  // by operation
  CallPathId call_path(std::uint32_t op) const { return call_path_[op]; }  // ends in the MPI call's region

  // An operation, and the gap before it, will be needed soon: its times; a little later, in this order, where its
  // pieces begin, and those.
  void expect(std::uint32_t op) const {
    fetch(&enter_[op]);
    fetch(&leave_[op]);
    fetch(&call_path_[op]);
    piece_offset_.expect(op);
  }
  void expect_begin_of_pieces(std::uint32_t op) const { piece_offset_.expect_begin(op); }
  void expect_pieces(std::uint32_t op) const { fetch(pieces_.data() + piece_offset_[op]); }

  // First and last time anything was seen here.
  Time begin() const { return begin_; }
  Time end() const { return end_; }

  // The last operation was never left: its leave time is the end of the timeline.
  bool ends_in_call() const { return ends_in_call_; }

  // Gap g lies before operation g; gap size() after the last one.
  std::size_t gaps() const { return size() + 1; }
  Time gap_begin(std::size_t gap) const { return gap == 0 ? begin_ : leave_[gap - 1]; }
  Time gap_end(std::size_t gap) const { return gap == size() ? end_ : enter_[gap]; }
  CallPathId call_before(std::size_t gap) const { return gap == 0 ? kNoCallPath : call_path_[gap - 1]; }
  CallPathId call_behind(std::size_t gap) const { return gap == size() ? kNoCallPath : call_path_[gap]; }
  // Both as one key.
  std::uint64_t calls_around(std::size_t gap) const {
    return std::uint64_t{index(call_before(gap))} << 32 | index(call_behind(gap));
  }
  std::span<const ComputationPiece> pieces(std::size_t gap) const {
    const auto [first, last] = piece_offset_.row(gap);
    return std::span(pieces_).subspan(first, last - first);
  }
  std::span<const ComputationSample> samples(std::size_t gap) const {
    const auto [first, last] = sample_offset_.row(gap);
    return std::span(samples_).subspan(first, last - first);
  }

  // All pieces, and which of them each gap has.
  const std::vector<ComputationPiece>& pieces() const { return pieces_; }
  const RowOffsets& piece_rows() const { return piece_offset_; }

  GapPart whole_gap(std::size_t gap) const {
    const auto [first_piece, last_piece] = piece_offset_.row(gap);
    const auto [first_sample, last_sample] = sample_offset_.row(gap);
    return {.gap = static_cast<std::uint32_t>(gap),
            .begin = gap_begin(gap),
            .end = gap_end(gap),
            .first_piece = first_piece,
            .last_piece = last_piece,
            .first_sample = first_sample,
            .last_sample = last_sample};
  }
  // Cuts from a part what lies before a mark in its gap, and returns it.
  static GapPart cut_off(GapPart& rest, const StepMark& mark);
  std::span<const ComputationPiece> pieces(const GapPart& part) const {
    return std::span(pieces_).subspan(part.first_piece, part.last_piece - part.first_piece);
  }
  std::span<const ComputationSample> samples(const GapPart& part) const {
    return std::span(samples_).subspan(part.first_sample, part.last_sample - part.first_sample);
  }
  // Calls visit(part) for all gaps in order, divided at the marks.
  template <typename Visit>
  void for_each_part(Visit visit) const {
    auto mark = step_marks_.begin();
    for (std::size_t gap = 0; gap < gaps(); ++gap) {
      GapPart rest = whole_gap(gap);
      for (; mark != step_marks_.end() && mark->op <= gap; ++mark) visit(cut_off(rest, *mark));
      visit(rest);
    }
  }

  const MessageColumn& sends() const { return sends_; }        // in the order of the send records
  const MessageColumn& receives() const { return receives_; }  // in posting order
  const std::vector<RmaRecord>& rma() const { return rma_; }   // in time order
  const std::vector<CollectivePart>& collectives() const { return collectives_; }  // in time order
  const std::vector<StepMark>& step_marks() const { return step_marks_; }          // in time order
  const std::vector<UserRegion>& user_regions() const { return user_regions_; }    // in time order
  const std::vector<UsageReading>& usage() const { return usage_; }                // in time order
  const std::vector<CountedWork>& counted_work() const { return counted_work_; }  // in time order, one by gap
  const std::vector<FileAccess>& file_accesses() const { return file_accesses_; }         // in time order
  const std::vector<LibraryBytes>& library_bytes() const { return library_bytes_; }       // one by call path
  const std::vector<ParallelTotal>& parallel() const { return parallel_; }                // one by call path
  const std::vector<PollRecord>& polls() const { return polls_; }                         // in time order
  const std::vector<PreemptedCall>& preempted_calls() const { return preempted_calls_; }  // in time order
  const std::vector<ThreadLife>& lives() const { return lives_; }                         // in time order
  const std::vector<ThreadLife>& wakes() const { return wakes_; }                         // in time order
  const std::vector<ThreadStart>& thread_starts() const { return thread_starts_; }        // in time order
  const std::vector<ThreadJoin>& thread_joins() const { return thread_joins_; }           // in time order
  const PollRecord* row_of_polls(std::uint32_t op) const;  // nullptr: the call is none
  bool is_row_of_polls(std::uint32_t op) const { return row_of_polls(op) != nullptr; }

  const std::vector<ExcerptMark>& excerpts() const { return excerpts_; }  // in time order
  std::uint64_t excerpt_of(std::uint32_t op) const;                       // 0 where there are none
  const std::vector<CallTotal>& totals() const { return totals_; }
  Duration left_out() const { return left_out_; }  // between excerpts, pauses: no part of begin() to end()

 private:
  friend class TraceBuilder;
  friend class Retiming;
  friend class ExcerptJoin;
  friend class JoinedThreads;
  std::vector<Time> enter_, leave_;
  std::vector<CallPathId> call_path_;
  RowOffsets piece_offset_, sample_offset_;  // by gap
  std::vector<ComputationPiece> pieces_;
  std::vector<ComputationSample> samples_;
  MessageColumn sends_, receives_;
  std::vector<CollectivePart> collectives_;
  std::vector<StepMark> step_marks_;
  std::vector<UserRegion> user_regions_;
  std::vector<UsageReading> usage_;
  std::vector<CountedWork> counted_work_;
  std::vector<FileAccess> file_accesses_;
  std::vector<LibraryBytes> library_bytes_;
  std::vector<ParallelTotal> parallel_;
  std::vector<PollRecord> polls_;
  std::vector<PreemptedCall> preempted_calls_;  // one by call
  std::vector<ThreadLife> lives_, wakes_;
  std::vector<ThreadStart> thread_starts_;
  std::vector<ThreadJoin> thread_joins_;
  std::vector<RmaRecord> rma_;
  std::vector<ExcerptMark> excerpts_;
  std::vector<CallTotal> totals_;
  std::vector<MeasurementSwitch> switches_;  // until what lies between is cut out
  Duration left_out_{};
  Time begin_{}, end_{};
  bool ends_in_call_ = false;
};

}  // namespace waitdiag
