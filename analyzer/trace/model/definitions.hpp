// What the ids stand for: regions (with what an MPI call means), call paths, communicators, locations.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/trace/model/ids.hpp"
#include "analyzer/trace/model/time.hpp"

namespace waitdiag {

// What a region does, as far as waiting is concerned. MPI calls are classified by name (MPI 4.0), barriers of
// threads by what the archive says about them; everything else is Computation.
enum class CallKind : std::uint8_t {
  Computation,
  Send,  // blocking, any SendMode
  Sendrecv,
  Isend,
  Recv,  // Recv, Mrecv
  Irecv,
  PersistentInit,
  Start,
  Wait,
  Waitany,
  Waitall,
  Waitsome,
  Test,
  Testany,
  Testall,
  Testsome,
  GetStatus,  // Request_get_status, Parrived: say that a request is done, but do not complete it
  Probe,
  Iprobe,
  Barrier,
  OneToAll,          // Bcast, Scatter, Scatterv
  AllToOne,          // Reduce, Gather, Gatherv
  AllToAll,          // Allgather(v), Allreduce, Alltoall, Reduce_scatter(_block)
  AllToAllVariable,  // Alltoallv, Alltoallw: peers cannot be known from totals
  Neighbourhood,     // Neighbor_allgather(v), Neighbor_alltoall(v|w)
  Scan,              // Scan, Exscan
  WinFence,
  WinCollective,  // Win_create, Win_allocate, Win_free ...
  WinStart,
  WinComplete,
  WinPost,
  WinWait,  // also Win_test
  Init,
  Finalize,
  CommConstruct,  // Comm_dup, Comm_split, Cart_create, Comm_free ...
  FileCall,       // File_open, File_write_all ...: by all members of the file's communicator
  Artificial,     // MEASUREMENT OFF, TRACE BUFFER FLUSH: time that belongs to the tool
  OtherMpi,       // any other MPI call: its time is MPI time, without further meaning
  ThreadBarrier,  // of the threads of one process, explicit or implied by an OpenMP construct
  ThreadSync,     // a thread of the process is started or joined, or is not there
};

// The measurement was off.
inline constexpr char kPauseRegion[] = "MEASUREMENT OFF";
// The recorder wrote its buffer.
inline constexpr char kFlushRegion[] = "TRACE BUFFER FLUSH";

// Where one location is several threads, one after the other: none of them.
inline constexpr char kNoThreadRegion[] = "NO THREAD";

// Time in which a thread was not on a processor is exact like that of an instrumented function: a region with
// one of these names, inside the function in which it was spent.
inline constexpr char kBlockedRegion[] = "(blocked)";  // it waited: for a disk, a lock, a timer, a process
// The same where only the innermost function around both MPI calls is known: in it, or in what it called.
inline constexpr char kBlockedBelowRegion[] = "(blocked in or below it)";
// It touched pages that had to come from a disk: a file that is mapped, or swap (major page faults).
inline constexpr char kPageFaultRegion[] = "(waiting for pages)";
inline constexpr char kPageFaultBelowRegion[] = "(waiting for pages in or below it)";
// It could have run, but another thread did: by itself, for whatever the thread was doing is not the reason.
inline constexpr char kPreemptedRegion[] = "(processor taken away)";
// It is not known why it was off the processor, or whether it was.
inline constexpr char kPerhapsOffRegion[] = "(perhaps off the processor)";

enum class SendMode : std::uint8_t { Standard, Synchronous, Buffered, Ready };

// Why a thread was not on a processor.
enum class OffReason : std::uint8_t { Blocked, Preempted, Unknown, PageFault };
// What a call of a library waited for: files, pipes and sockets; time; other threads; other processes; signals.
enum class WaitedFor : std::uint8_t { Io, Sleep, Threads, Processes, Signals };
inline constexpr const char* kWaitedForWords[] = {"io", "sleep", "threads", "processes", "signals"};

struct Region {
  std::string name{};      // as a user reads it (demangled)
  std::string file{};      // empty if unknown
  std::uint32_t line = 0;  // 0 if unknown
  CallKind kind = CallKind::Computation;
  SendMode mode = SendMode::Standard;
  bool divisible = false;  // a user's mark around code: where a location has samples, they divide its time
  bool library = false;    // a call of a library that is in the trace where the program waited in it
  // An operation of a timeline, not something that runs in the gaps between them.
  bool operation() const { return kind != CallKind::Computation && kind != CallKind::Artificial; }
  std::optional<OffReason> off() const;        // a thread that is in it is not on a processor
  std::optional<WaitedFor> waits_for() const;  // of a library's call, where that is known
  bool of_threads() const { return kind == CallKind::ThreadBarrier || kind == CallKind::ThreadSync; }
  bool mpi() const { return operation() && !of_threads(); }
};

// Kind and send mode of an MPI function by its name; Computation for any other name.
void classify_region(Region& region);

struct CallPathNode {
  CallPathId parent = kNoCallPath;  // kNoCallPath at an outermost frame
  RegionId region = kNoRegion;
  // Line inside `region` of the call that the path goes on with (call site); 0: not known, or the path ends
  // here.
  std::uint32_t line = 0;
  friend bool operator==(const CallPathNode&, const CallPathNode&) = default;
};

enum class CollectiveKind : std::uint8_t {
  Barrier,
  Bcast,
  Gather,
  Gatherv,
  Scatter,
  Scatterv,
  Allgather,
  Allgatherv,
  Alltoall,
  Alltoallv,
  Alltoallw,
  Allreduce,
  Reduce,
  ReduceScatter,
  ReduceScatterBlock,
  Scan,
  Exscan,
  Neighbourhood,  // of all kinds
  Fence,          // the following three are over a window
  WinCreate,
  WinFree,
  CreateHandle,  // of a communicator
  DestroyHandle,
  FileCall,  // over a file, of any kind
  Init,
  Finalize,
  ThreadBarrier,  // of the threads of one process
  Other,
};

// How much longer the first operation of its kind takes in a communicator than later ones, for each member.
struct FirstUse {
  CollectiveKind kind{};
  Duration own{};
  friend bool operator==(const FirstUse&, const FirstUse&) = default;
};

struct Communicator {
  std::string name{};           // "MPI_COMM_WORLD", a user's name, or "Comm 3"
  std::vector<Rank> members{};  // member i = world rank of rank i of this communicator
  CommId parent = kNoComm;
  bool self = false;  // MPI_COMM_SELF: one definition, a different single member on every rank
  std::vector<Rank> remote_members{};  // inter-communicators only
  std::vector<FirstUse> first_uses{};  // found (replay/first_uses), not recorded
};

// Bytes exchanged with each of the ranks `first` to `last` of the communicator (of an inter-communicator: of
// the other group).
struct PeerRun {
  std::uint32_t first = 0, last = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const PeerRun&, const PeerRun&) = default;
};

struct PeerList {
  std::vector<PeerRun> sent{}, received{};
  friend bool operator==(const PeerList&, const PeerList&) = default;
};

struct LocationInfo {
  Rank rank{};
  std::uint32_t thread = 0;  // 0 = the thread that initialised MPI
  std::string name{};
  std::string node{};                 // host name
  std::uint32_t node_processors = 0;  // of the node; 0: not known
  // What the rank is bound to. Two ranks of a node with the same package share a chip; kAnyPlace: it may run
  // on several, or it is not known.
  static constexpr std::int32_t kAnyPlace = -1;
  std::int32_t package = kAnyPlace, core = kAnyPlace;
  bool bound_to_core() const { return core != kAnyPlace; }
  bool on_core_of(const LocationInfo& other) const {
    return bound_to_core() && node == other.node && package == other.package && core == other.core;
  }
  std::uint64_t trace_id{};  // the archive's id of this location
  // MPI_Test, MPI_Iprobe and the like of the whole rank that found nothing and are not in the timeline.
  std::uint64_t failed_polls = 0;
  // Time that the recorder spent on call paths of this rank that it did not recognise, in total.
  std::uint64_t path_walks_ns = 0;
  // The same for samples and for reading what the process uses.
  std::uint64_t upkeep_ns = 0;
};

}  // namespace waitdiag
