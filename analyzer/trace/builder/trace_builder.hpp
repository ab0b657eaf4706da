// The only way to a Trace. Readers and tests feed definitions first, then each location's records in time
// order; build() validates, counts what is odd and returns the immutable columns.
//
// Records of one location must come in time order; a record that goes backwards, a Leave without Enter and
// the like are counted as anomalies and repaired or skipped, never fatal. Unclosed regions are closed at the
// last time stamp of their location and counted.
//
// Time in which the measurement was off is cut out at the end, see excerpts.hpp.
//
// Operations are the outermost MPI regions; MPI regions inside them (a collective made of sends) are folded
// into them. Samples count where nothing exact is known: outside all regions, or inside a region marked
// `divisible`.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// At most how many records of a location will come, so that columns need not be moved while they grow.
struct RecordCounts {
  std::uint64_t enters = 0, sends = 0, receives = 0, collectives = 0;
};

struct OffRegions {
  RegionId blocked = kNoRegion, blocked_below = kNoRegion, preempted = kNoRegion, perhaps_off = kNoRegion,
           page_fault = kNoRegion, page_fault_below = kNoRegion, no_thread = kNoRegion;
};

struct ThreadRecord {
  enum class What : std::uint8_t {
    Create,  // this thread starts another one, in the function `call_path`
    Begin,   // this one begins, with the function `call_path`
    Wait,    // this one has joined another one; behind the call that waited
    End,     // this one ends
    Wakes,   // this one ends the wait of another one
    Woken    // another one has ended its wait; behind the call that waited
  } what = What::Create;
  std::uint64_t number =
      0;  // of the thread that is started, or the wake, among those of the run; 0: not known
  CallPathId call_path = kNoCallPath;
};

class TraceBuilder {
 public:
  TraceBuilder();
  ~TraceBuilder();
  TraceBuilder(const TraceBuilder&) = delete;
  TraceBuilder& operator=(const TraceBuilder&) = delete;

  // Definitions. A region's kind and mode are set from its name by classify_region() unless given.
  RegionId region(Region region);
  CallPathId call_path(CallPathId parent, RegionId region,
                       std::uint32_t line = 0);  // finds or makes the node
  CommId communicator(Communicator communicator);
  PeerListId peer_list(PeerList list);
  Location location(LocationInfo info);
  RunFacts& facts();
  Anomalies& anomalies();

  // Regions are entered and left as in the program, with the operations in between: then the outermost user
  // regions are known. Otherwise they come from user_region().
  void regions_are_nested();
  RegionId measurement_off();       // the region of pauses, defined at the first call
  const OffRegions& off_regions();  // of off_processor(), defined at the first call

  // Records. Those of different locations may come from several threads at once, as long as nothing is
  // defined (also no pause for the first time). `call_path` of enter(): the caller's path as recorded by
  // unwinding (the entered region is appended); kNoCallPath: the path is the stack of entered regions.
  void expect(Location location, const RecordCounts& counts);
  void enter(Location location, Time time, RegionId region, CallPathId caller = kNoCallPath);
  void leave(Location location, Time time, RegionId region);
  // The region that was just entered represents `count` visits (enter() counted one).
  void visits(Location location, std::uint32_t count);
  // A time step of the program begins: the next one, if no number is given. A step that continues after a
  // pause may be given again.
  void step(Location location, Time time, std::optional<std::uint64_t> number = std::nullopt);
  void user_region(Location location, const UserRegion& region);
  // Of the recorder's light profile. `total`: without its call path, which `caller` and `region` tell
  // (kNoRegion: not known).
  void excerpt(Location location, std::uint64_t number);
  void total(Location location, CallPathId caller, RegionId region, CallTotal total);
  // What all teams of threads that this thread opened on one call path did, or some of their threads; calls
  // add up.
  void parallel(Location location, const ParallelTotal& total);
  void steps_passed(std::uint64_t steps);
  // What the process has used so far; its operation is found here.
  void usage(Location location, UsageReading reading);
  // What the thread has executed so far: the difference is the open gap's, or the open operation's, which nobody
  // asks for. Or what it executed in the gap.
  void counters(Location location, Time time, const WorkCounts& so_far);
  void counted_work(Location location, const WorkCounts& work);
  // The operation that is open has read or written so much.
  void file_bytes(Location location, Time time, std::uint64_t bytes);
  void polls(Location location, Time time, std::uint64_t in_vain);  // of the call that is open
  void send(Location location, Time time, Rank peer, CommId comm, std::int32_t tag, std::uint64_t bytes);
  // any_source: it was asked for with MPI_ANY_SOURCE.
  void recv(Location location, Time time, Rank peer, CommId comm, std::int32_t tag, std::uint64_t bytes,
            bool any_source = false);
  void isend(Location location, Time time, Rank peer, CommId comm, std::int32_t tag, std::uint64_t bytes,
             std::uint64_t request);
  void isend_complete(Location location, Time time, std::uint64_t request);
  void irecv_request(Location location, Time time, std::uint64_t request, bool any_source = false);
  void irecv(Location location, Time time, Rank peer, CommId comm, std::int32_t tag, std::uint64_t bytes,
             std::uint64_t request);
  void request_cancelled(Location location, Time time, std::uint64_t request);
  void collective_begin(Location location, Time time);
  void collective_end(Location location, Time time, CollectiveKind kind, CommId comm, Rank root,
                      std::uint64_t sent, std::uint64_t received, PeerListId peers = kNoPeerList);
  void collective_request(Location location, Time time, std::uint64_t request);
  void collective_complete(Location location, Time time, const CollectivePart& part, std::uint64_t request);
  void rma(Location location, const RmaRecord& record);  // its time; the operation is the open one
  // Start, Complete, Post or Wait, as the open call says; elsewhere it has no meaning.
  void rma_group_sync(Location location, Time time, CommId window, PeerListId group);
  void sample(Location location, Time time, CallPathId call_path, std::uint32_t weight);
  void measurement(Location location, Time time, bool on);
  // The thread is back on a processor. `turns`: 0 if it was off for all of `length` until `end`; otherwise
  // how many times it was off since the previous record, at unknown times.
  void off_processor(Location location, Time end, Duration length, OffReason reason, std::uint64_t turns);
  // Threads that the program starts and joins; nothing unless off_regions() are defined.
  void thread(Location location, Time time, const ThreadRecord& record);
  void skipped(std::string_view record_name, std::uint64_t count = 1);  // records that carry no meaning here
  void seen(Location location, Time time);  // nothing happened, but the location existed

  // Nothing more will come for this location: its columns are trimmed. build() does it for the rest.
  void finish(Location location);

  Trace build();

 private:
  class LocationRecorder;
  class Recorders;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace waitdiag
