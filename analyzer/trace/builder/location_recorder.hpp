// One location while its records come in: a stack of open regions, the open operation, the gap being measured
// and the requests in flight; fills the location's Timeline. Locations do not share anything but the call
// tree.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/trace/builder/call_tree.hpp"
#include "analyzer/trace/builder/oddities.hpp"
#include "analyzer/trace/builder/request_table.hpp"
#include "analyzer/trace/builder/trace_builder.hpp"
#include "analyzer/trace/model/free_memory.hpp"
#include "analyzer/trace/model/timeline.hpp"

namespace waitdiag {

class TraceBuilder::LocationRecorder {
 public:
  // `nested`: see TraceBuilder::regions_are_nested().
  LocationRecorder(const std::vector<Region>& regions, const CallTree& tree, const bool& nested)
      : regions_(regions), tree_(tree), nested_(nested) {}

  void expect(const RecordCounts& counts);
  void enter(Time time, RegionId region, CallPathId caller);
  void leave(Time time, RegionId region);
  void visits(std::uint32_t count);
  void step(Time time, std::optional<std::uint64_t> number);
  void user_region(const UserRegion& region) { timeline_.user_regions_.push_back(region); }
  void usage(UsageReading reading);
  void counters(Time time, const WorkCounts& so_far);
  void counted_work(const WorkCounts& work);
  void file_bytes(Time time, std::uint64_t bytes);
  void polls(Time time, std::uint64_t in_vain);
  void send(Time time, const MessageEnd& end);
  void isend(Time time, const MessageEnd& end, std::uint64_t request);
  void isend_complete(Time time, std::uint64_t request);
  void recv(Time time, const MessageEnd& end);
  void irecv_request(Time time, std::uint64_t request, bool any_source);
  void irecv(Time time, const MessageEnd& end, std::uint64_t request);
  void request_cancelled(Time time, std::uint64_t request);
  void collective_begin(Time time);
  void collective_end(Time time, CollectivePart part);
  void collective_request(Time time, std::uint64_t request);
  void collective_complete(Time time, const CollectivePart& part, std::uint64_t request);
  void rma(RmaRecord record);
  void rma_group_sync(RmaRecord record);
  void sample(Time time, CallPathId call_path, std::uint32_t weight);
  void seen(Time time) { advance(time); }
  void switched(Time time, bool on);  // the measurement is switched off, or on again
  void off_processor(Time end, Duration length, OffReason reason, std::uint64_t turns, const OffRegions&);
  void thread(Time time, const ThreadRecord& record, const OffRegions& regions);
  void excerpt(std::uint64_t number);
  void total(CallPathId caller, RegionId region, CallTotal total);
  void parallel(const ParallelTotal& total);

  // Closes what is open and trims the columns; further records are not allowed.
  void finish();
  // Requests that one thread of a process posted and another completed. Called for all locations of one
  // process, once they are finished.
  static void settle_requests(const std::vector<LocationRecorder*>& process);
  // Gives the call paths found here their ids in the common tree.
  void join_call_paths(CallTree& common);
  // Drops records that name ranks or communicators that the trace does not have.
  void drop_unknown_peers(std::size_t ranks, std::size_t communicators);

  bool was_seen() const { return seen_; }
  bool was_paused() const { return !timeline_.switches_.empty(); }
  // It has no operations, and of its time no more is known than from samples, and where it was blocked.
  bool was_worker() const;
  Timeline& timeline() { return timeline_; }
  const Oddities& oddities() const { return oddities_; }
  const std::map<RegionId, Duration>& artificial_time() const { return artificial_time_; }

 private:
  struct Frame {
    RegionId region;
    CallPathId path;  // kNoCallPath inside an operation, where it is not needed
    Time enter;
  };

  // The completion of a request that this location had not posted.
  struct Stranger {
    Time time;
    std::uint64_t request;
    Request::What what;     // Nothing: cancelled, whatever it was
    CollectivePart part{};  // of a collective
  };

  // Limits at which sums over many locations still do not overflow.
  static constexpr Time kLatest = at(std::int64_t{1} << 55), kEarliest = at(-(std::int64_t{1} << 55));

  Time advance(Time time);
  bool inside_mpi(Time time);
  const Region& region(RegionId id) const { return regions_[index(id)]; }
  std::uint32_t current_op() const { return static_cast<std::uint32_t>(timeline_.size() - 1); }
  std::uint32_t& slot(std::vector<std::uint32_t>& slots, CallPathId path);
  ComputationPiece& piece(CallPathId path);
  void add_sample(CallPathId path, std::uint32_t weight);
  void sample_of_life(CallPathId path, std::uint32_t weight);
  using PiecesByPath = std::map<CallPathId, ComputationPiece>;
  std::vector<ComputationPiece> pieces_since(PiecesByPath& before) const;
  void pieces_of_life();
  void finish_life(Time end);
  void begin_stretch(Time time, std::uint64_t since);
  void end_stretch(Time time, std::uint64_t number);
  void forget_absences();
  void leave_library(const Frame& frame, Time time);
  void joined(ThreadJoin::For what, std::uint64_t number, Time time, RegionId blocked);
  std::uint32_t thread_sync_before(Time time) const;
  std::uint32_t begin_absence(Time time, RegionId region);
  void end_absence(Time time);
  void open_operation(Time time, CallPathId path);
  void close_operation(Time time);
  bool suspend_barrier(Time time);
  void resume_barrier(Time time);
  void pop(Time time);
  void post(Time time, std::uint64_t request, Request posted);
  bool take(Time time, std::uint64_t request, Request::What what, Request& posted,
            const CollectivePart* part = nullptr);
  bool completes_here(const Stranger& completion);
  void divide_marks();
  void open_user_region(Time time, RegionId region);
  void close_user_region(Time time, const Frame& frame);
  void close_gap(CallPathId closing = kNoCallPath);
  void place_blocked(CallPathId closing);
  bool names_blocking(Time time, CallPathId call_path);
  void preempted_in_call(Duration length, const OffRegions& regions);
  CallPathId off_path(OffReason reason, Time begin, const OffRegions& regions);
  void pass_marks(Time due, Time now);
  void begin_part();
  void measure_until(Time time);

  const std::vector<Region>& regions_;
  LocalCallTree tree_;
  const bool& nested_;
  Timeline timeline_;
  Oddities oddities_;
  std::vector<Frame> stack_;
  std::size_t operation_depth_ = 0;  // stack size around the open operation
  bool in_operation_ = false;
  std::size_t open_user_regions_ = 0;   // on the stack, except those in operations
  std::size_t suspended_barriers_ = 0;  // of threads, on the stack, around a task
  bool seen_ = false;
  bool has_samples_ = false;
  bool has_calls_ = false;  // known beforehand; perhaps of libraries only
  bool absent_ = false;     // an operation is open for the time between two threads
  bool finished_ = false;
  std::vector<Time> collective_begins_;
  std::vector<std::uint32_t> piece_slots_,
      sample_slots_;  // call path -> its entry in the current part of a gap, if still valid
  std::uint32_t first_piece_ = 0, first_sample_ = 0;  // of that part
  std::size_t next_mark_ = 0;                         // the first one that does not divide its gap yet
  Time next_mark_time_ = Time::max();
  RequestTable in_flight_;
  std::vector<Stranger> strangers_;
  std::map<RegionId, Duration> artificial_time_;
  PiecesByPath before_life_, before_stretch_;  // what the gap had when the thread began; when the stretch did
  ThreadLife stretch_;                         // up to the thread's next wake
  bool in_stretch_ = false;
  CallPathId blocked_somewhere_ = kNoCallPath;  // in the gap that is measured; kNoCallPath: was not so far
  CallPathId waiting_for_pages_ = kNoCallPath;  // the same
  RegionId blocked_ = kNoRegion;
  std::map<std::pair<CallPathId, CallPathId>, CallPathId> around_gaps_;  // by opening and closing call
  // The call of a library that was left last, and when the first of a row of the same ones was entered.
  struct {
    CallPathId call = kNoCallPath;
    Time first{}, enter{}, leave{};
    std::size_t gap = 0;
  } left_library_;
  CallPathId blocked_in_library_ = kNoCallPath;  // who called what it was blocked in last
  Duration last_blocked_{};              // of that, the last time, which may still be told where it was
  Time awake_ = Time::min();             // since then
  std::optional<WorkCounts> counted_;    // so far
  CallPathId blocked_in_ = kNoCallPath;  // where a sample found it when it was interrupted in being blocked,
  Time interrupted_ = Time::min();       // at that time
};

// Those of neighbouring locations share a block of memory, which is given back as a whole: between blocks that
// small lie the locations' columns.
class TraceBuilder::Recorders {
 public:
  std::size_t size() const {
    return blocks_.empty() ? 0 : (blocks_.size() - 1) * kBlock + blocks_.back().size();
  }
  LocationRecorder& operator[](std::size_t i) { return blocks_[i / kBlock][i % kBlock]; }
  LocationRecorder& add(const std::vector<Region>& regions, const CallTree& tree, const bool& nested) {
    if (size() % kBlock == 0) blocks_.emplace_back().reserve(kBlock);
    return blocks_.back().emplace_back(regions, tree, nested);
  }
  void clear() {
    blocks_.clear();
    give_back_free_memory();
  }

 private:
  static constexpr std::size_t kBlock = 32;
  std::vector<std::vector<LocationRecorder>> blocks_;  // they never grow: recorders stay where they are
};

}  // namespace waitdiag
