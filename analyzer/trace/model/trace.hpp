// The immutable trace: definitions and one Timeline per location. Made by TraceBuilder only.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/trace/model/anomalies.hpp"
#include "analyzer/trace/model/definitions.hpp"
#include "analyzer/trace/model/timeline.hpp"

namespace waitdiag {

// Facts about the run that no column holds.
struct RunFacts {
  std::string program;  // base name of the executable, empty if unknown
  std::string mpi;      // "MPICH 4.0.2", empty if unknown
  std::string creator;  // who wrote the archive
  std::uint64_t events = 0;
  std::uint64_t clock_resolution = 1'000'000'000;  // ticks per second in the archive
  std::map<std::string, std::string> properties;   // the archive's own, verbatim
  bool communication_complete = true;              // false: filtered, paused or truncated recording
  // The recorder's light profile: the trace consists of excerpts of the run, joined; see excerpts.hpp.
  bool excerpts = false;
  bool paused = false;  // the same of a run whose recording the program or the user paused
  // What belongs together has the same number of excerpt on all ranks.
  bool numbered_excerpts = false;
  Duration run_time{};             // of the whole run, if either
  std::uint64_t steps_passed = 0;  // of the whole run, if the program marked any
};

struct WorkerThread {
  LocationInfo info{};
  Timeline timeline{};
};

// All waits of a rank's thread for the end of others, by what those did meanwhile.
struct JoinedThread {
  Rank rank = kNoRank;
  std::uint32_t thread = 0;            // that was joined
  CallPathId joined_in = kNoCallPath;  // by which call
  CallPathId call_path = kNoCallPath;  // what the joined thread did
  Duration time{};                     // of the waiting
};

class Trace {
 public:
  Trace() = default;
  explicit Trace(const Trace&) = default;  // half of all memory: only where it is meant
  Trace(Trace&&) = default;
  Trace& operator=(const Trace&) = default;
  Trace& operator=(Trace&&) = default;
  ~Trace();

  const std::vector<Region>& regions() const { return regions_; }
  const std::vector<CallPathNode>& call_paths() const { return call_paths_; }
  const std::vector<Communicator>& communicators() const { return communicators_; }
  const std::vector<PeerList>& peer_lists() const { return peer_lists_; }
  const std::vector<LocationInfo>& locations() const { return locations_; }
  const std::vector<Timeline>& timelines() const { return timelines_; }
  // Threads that never called MPI: they are not locations, and their only gap has
  // samples, and waits in calls of libraries.
  const std::vector<WorkerThread>& workers() const { return workers_; }
  // What threads of the program's own did while others waited for their end.
  const std::vector<JoinedThread>& joined_threads() const { return joined_threads_; }
  const RunFacts& facts() const { return facts_; }
  const Anomalies& anomalies() const { return anomalies_; }
  CommId world() const { return world_; }

  std::size_t ranks() const { return main_location_.size(); }
  Location main_location(Rank rank) const { return main_location_[index(rank)]; }
  // Of its main location: where the rank ran.
  const LocationInfo& place_of(Rank rank) const { return locations_[index(main_location(rank))]; }
  Rank rank(Location location) const { return locations_[index(location)].rank; }

  const Timeline& timeline(Location location) const { return timelines_[index(location)]; }
  const Region& region(RegionId id) const { return regions_[index(id)]; }
  const Region& region(CallPathId id) const { return regions_[index(call_paths_[index(id)].region)]; }
  const Communicator& communicator(CommId id) const { return communicators_[index(id)]; }

  Time enter(OpRef op) const { return timeline(op.location).enter(op.op); }
  Time leave(OpRef op) const { return timeline(op.location).leave(op.op); }
  CallPathId call_path(OpRef op) const { return timeline(op.location).call_path(op.op); }
  CallKind kind(OpRef op) const { return region(call_path(op)).kind; }

  // The path that represents all paths of the same functions, regardless of the lines of their calls.
  // Comparisons and sums over ranks use it, because ranks may do the same in two branches.
  CallPathId without_sites(CallPathId id) const {
    return id == kNoCallPath || without_sites_.empty() ? id : without_sites_[index(id)];
  }
  bool has_sites() const { return !without_sites_.empty(); }  // that differ in lines only

  // First begin and last end over all locations.
  Time begin() const { return begin_; }
  Time end() const { return end_; }

  // "main/solve/MPI_Allreduce"
  std::string call_path_name(CallPathId id) const;
  // Of a call path in which a thread was blocked, where the call is known that it was blocked in.
  std::optional<WaitedFor> waited_for(CallPathId blocked) const;

 private:
  friend class TraceBuilder;
  friend class Retiming;
  friend class ExcerptJoin;
  friend class JoinedThreads;
  std::vector<Region> regions_;
  std::vector<CallPathNode> call_paths_;
  std::vector<CallPathId> without_sites_;  // by call path; empty: each is itself
  std::vector<Communicator> communicators_;
  std::vector<PeerList> peer_lists_;
  std::vector<LocationInfo> locations_;
  std::vector<Timeline> timelines_;
  std::vector<WorkerThread> workers_;
  std::vector<JoinedThread> joined_threads_;
  std::vector<Location> main_location_;
  RunFacts facts_;
  Anomalies anomalies_;
  CommId world_ = kNoComm;
  Time begin_{}, end_{};
};

}  // namespace waitdiag
