// One recorded fact, 32 bytes, plain old data. Written by hooks, regions and the sampler; read by archive/.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

enum class EventType : std::uint8_t {
  Enter,             // u.region
  Leave,             // u.region (call_path unused)
  Send,              // u.message: blocking send, stamped with the call's enter time
  Recv,              // u.message: blocking receive, stamped with the call's leave time; see kFromAnySource
  Isend,             // u.message with request
  IsendComplete,     // u.message.request
  IrecvRequest,      // u.message.request, .peer: as posted, kAnySource
  Irecv,             // u.message with request
  RequestCancelled,  // u.message.request
  CollectiveBegin,   // -
  CollectiveEnd,     // u.collective
  PeerBytes,         // u.message.request: id of handles/peer_lists.hpp, of the collective record that follows
  Polls,             // u.step: failed polls before its own of the call whose Enter follows
  FileBytes,         // u.message.bytes: read or written by the call whose Leave follows
  CollectiveRequest,      // u.message.request: a nonblocking or persistent collective starts
  CollectiveRequestDone,  // u.message.request; CollectiveComplete follows
  CollectiveComplete,     // u.collective, of the request named just before
  RmaWinCreate,           // u.rma.window
  RmaWinDestroy,          // u.rma.window
  RmaCollectiveBegin,     // u.rma.window
  RmaCollectiveEnd,       // u.rma.window, .detail: CollectiveOp
  RmaAccess,              // u.rma, .detail: RmaOperation
  RmaRequest,             // u.message.request, of the RmaAccess that follows
  RmaRequestDone,         // u.message.request, .comm: window
  RmaSync,                // u.rma, .detail: RmaSync
  CommCreate,             // u.collective.comm
  CommDestroy,            // u.collective.comm
  Sample,                 // u.sample
  Step,                   // u.step
  Excerpt,                // u.step: number of the excerpt that begins (WAITPROF_PROFILE=light)
  Counters,               // u.counters
  Faults,                 // u.faults, of the Usage that follows
  Usage,                  // u.usage
  MeasurementOff,         // - (MPI_Pcontrol(0), or recording stopped)
  MeasurementOn,          // -
  FlushBegin,             // - (the tool wrote its buffer between these two)
  FlushEnd,               // -
  Presence,               // u.step: PresenceSource of the OffProcessor events that follow
  OffProcessor,           // u.off_processor: stamped when the thread came back
  ThreadCreate,           // u.thread: this thread starts another one
  ThreadBegin,            // u.thread: this one, with its first function
  ThreadWait,   // u.thread: this thread has joined it; the call's Leave was just before if it waited
  ThreadEnd,    // u.thread: this one
  ThreadWakes,  // u.thread: this thread ends the wait of others for an object; the number of the wake
  ThreadWoken,  // u.thread: which wake ended the call whose Leave was just before; 0: not known
  Repeat,       // u.repeat: a whole call, stamped with its enter time; see buffer/repeated_call.hpp
};

// What a collective did; archive/ maps it to OTF2_CollectiveOp.
enum class CollectiveOp : std::uint8_t {
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
  NeighborAllgather,
  NeighborAllgatherv,
  NeighborAlltoall,
  NeighborAlltoallv,
  NeighborAlltoallw,
  CreateHandle,
  DestroyHandle,
  CreateHandleAndAllocate,
  DestroyHandleAndFree,
  Init,
  Finalize,
};

// What an operation on the memory of another process does.
enum class RmaOperation : std::uint8_t { Put, Get, Accumulate, GetAccumulate, FetchAndOp, CompareAndSwap };

// What synchronises the operations on a window, besides fences.
enum class RmaSync : std::uint8_t {
  Start,     // .sent: rank group
  Complete,  // the same
  Post,      // the same
  Wait,      // the same; also MPI_Win_test
  Lock,      // .target, .sent: 1 exclusive, 0 shared
  Unlock,    // .target
  Flush,     // .target
  FlushLocal,
};
inline constexpr std::int32_t kAllTargets = -1000;  // MPI_Win_lock_all, MPI_Win_flush_all ...

// Roots that are no ranks. The last two occur in inter-communicators.
inline constexpr std::int32_t kNoRoot = -1;
inline constexpr std::int32_t kSelfRoot = -2;   // MPI_ROOT
inline constexpr std::int32_t kGroupRoot = -3;  // MPI_PROC_NULL: another rank of this group
inline constexpr std::uint32_t kNoCallPathId = 0;
inline constexpr std::uint32_t kWorldComm = 0;
inline constexpr std::uint32_t kSelfComm = 1;
// Communicator whose handle was never seen: the event is recorded without its message.
inline constexpr std::uint32_t kUnknownComm = 0xffffff;

struct RegionData {
  std::uint32_t region;     // see regions/regions.hpp
  std::uint32_t call_path;  // see callpath/call_paths.hpp; kNoCallPathId: none
};
// An Enter that has become a whole call. Its events are those from `distance` events before on, up to a Leave.
struct RepeatData {
  std::uint32_t region, call_path;  // as in RegionData
  std::uint64_t duration;           // ns
  std::uint32_t distance;
  std::uint32_t unused;
};

// A receive that asks for MPI_ANY_SOURCE: MessageData::peer of an IrecvRequest, MessageData::request of a
// Recv.
inline constexpr std::int32_t kAnySource = -1001;
inline constexpr std::uint32_t kFromAnySource = 1;

struct MessageData {
  std::uint64_t bytes;
  std::int32_t peer;  // rank in the communicator
  std::int32_t tag;
  std::uint32_t comm;     // local communicator id, see handles/communicators.hpp
  std::uint32_t request;  // unique in its thread until it is complete; 0: blocking
};
struct CollectiveData {
  std::uint64_t sent, received;  // bytes
  std::uint32_t comm : 24, op : 8;
  std::int32_t root;  // rank in the communicator, kNoRoot, kSelfRoot or kGroupRoot
};
struct RmaData {
  std::uint64_t sent, received;  // bytes, or see RmaSync
  std::int32_t target;           // rank in the window's communicator, or kAllTargets
  std::uint32_t window : 24, detail : 8;
};
struct SampleData {
  std::uint32_t call_path;
  std::uint32_t weight;
};

// A thread that the program started, or a wake.
struct ThreadData {
  std::uint64_t number;     // among those of the process, from 1
  std::uint32_t call_path;  // ThreadBegin: its first function; ThreadCreate: of the call
  std::uint32_t unused;
};

// Why a thread was not on a processor.
enum class OffReason : std::uint8_t {
  Blocked,    // it waited: for a disk, a lock, a timer, another process
  Preempted,  // it could have run, but another thread did
  Unknown,    // not known, or whether it was off at all
  PageFault,  // it waited: for pages that it touched
};
struct OffProcessorData {
  std::uint64_t time;    // ns
  std::uint64_t turns;   // 0: one interval; else so many since the event before, or the readings of a clock
  std::uint32_t reason;  // OffReason
  std::uint32_t unused;
};

struct UsageData {
  std::uint64_t processor_time;  // of the process, ns
  std::uint64_t resident;        // bytes of memory
  std::uint32_t runnable;        // threads of the whole node that run or are ready to
  std::uint32_t stolen_ms;  // taken from the node's processors by the host of a virtual machine, added up
};

// Of a thread so far, in the program's code.
struct CounterData {
  std::uint64_t instructions, cycles;
};

// Of the process so far, and of its node.
struct FaultData {
  std::uint64_t minor_faults;  // pages that it touched
  std::uint32_t major_faults;  // those of them that came from a disk
  std::uint32_t migrations;    // of recorded threads to another processor
  std::uint64_t node_busy_ms;  // of the node's processors together, whoever ran, added up
};

inline constexpr std::uint64_t kEventTimeMask = (std::uint64_t{1} << 56) - 1;

struct Event {
  std::uint64_t time : 56;  // ns, see clock.hpp
  EventType type : 8;
  union Payload {
    RegionData region;
    RepeatData repeat;
    MessageData message;
    CollectiveData collective;
    RmaData rma;
    SampleData sample;
    std::uint64_t step;  // its number, from 0
    UsageData usage;
    FaultData faults;
    CounterData counters;
    OffProcessorData off_processor;
    ThreadData thread;
  } u;
};
static_assert(sizeof(Event) == 32);

// An event whose payload is still to be filled in.
inline Event event_at(EventType type, std::uint64_t time) noexcept {
  Event event{};
  event.time = time & kEventTimeMask;
  event.type = type;
  return event;
}

}  // namespace waitprof
