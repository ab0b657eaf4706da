// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/builder/trace_builder.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>

#include "analyzer/trace/builder/excerpts.hpp"
#include "analyzer/trace/builder/joined_threads.hpp"
#include "analyzer/trace/builder/location_recorder.hpp"
#include "analyzer/trace/model/printable.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {

struct TraceBuilder::State {
  Trace trace;  // definitions fill it from the start, columns come in build()
  CallTree tree;
  Recorders recorders;
  std::mutex skipped_mutex;
  std::map<std::string, std::uint64_t> skipped;
  std::set<std::string> communicator_names;
  RegionId measurement_off = kNoRegion;
  OffRegions off;
  bool nested = false;

  std::vector<LocationRecorder*> kept;  // of trace.locations_, once workers are set aside

  LocationRecorder& at(Location location) { return recorders[index(location)]; }
  void set_workers_aside();
  void index_ranks();
  void define_world();
  void check_communicators() const;
  void settle_requests();
  void collect_columns();
  void report_skipped();
  void report_artificial();
};

TraceBuilder::TraceBuilder() : state_(std::make_unique<State>()) {}
TraceBuilder::~TraceBuilder() = default;

RegionId TraceBuilder::region(Region region) {
  make_printable(region.name);
  make_printable(region.file);
  if (region.kind == CallKind::Computation) classify_region(region);
  auto& regions = state_->trace.regions_;
  regions.push_back(std::move(region));
  return RegionId(regions.size() - 1);
}

CallPathId TraceBuilder::call_path(CallPathId parent, RegionId region, std::uint32_t line) {
  return state_->tree.node(parent, region, line);
}

// Two communicators of the same name would be one to a reader of the report: the second becomes "row (2)".
CommId TraceBuilder::communicator(Communicator communicator) {
  auto& communicators = state_->trace.communicators_;
  make_printable(communicator.name);
  const std::string name = communicator.name;
  for (int copy = 2; !state_->communicator_names.insert(communicator.name).second; ++copy) {
    communicator.name = name + " (" + std::to_string(copy) + ")";
  }
  communicators.push_back(std::move(communicator));
  return CommId(communicators.size() - 1);
}

PeerListId TraceBuilder::peer_list(PeerList list) {
  state_->trace.peer_lists_.push_back(std::move(list));
  return PeerListId(state_->trace.peer_lists_.size() - 1);
}

Location TraceBuilder::location(LocationInfo info) {
  make_printable(info.name);
  make_printable(info.node);
  state_->trace.locations_.push_back(std::move(info));
  state_->recorders.add(state_->trace.regions_, state_->tree, state_->nested);
  return Location(state_->recorders.size() - 1);
}

RunFacts& TraceBuilder::facts() {
  return state_->trace.facts_;
}
Anomalies& TraceBuilder::anomalies() {
  return state_->trace.anomalies_;
}

void TraceBuilder::expect(Location location, const RecordCounts& counts) {
  state_->at(location).expect(counts);
}

void TraceBuilder::enter(Location location, Time time, RegionId region, CallPathId caller) {
  state_->at(location).enter(time, region, caller);
}

void TraceBuilder::leave(Location location, Time time, RegionId region) {
  state_->at(location).leave(time, region);
}
void TraceBuilder::visits(Location location, std::uint32_t count) {
  state_->at(location).visits(count);
}

void TraceBuilder::step(Location location, Time time, std::optional<std::uint64_t> number) {
  state_->at(location).step(time, number);
}
void TraceBuilder::user_region(Location location, const UserRegion& region) {
  state_->at(location).user_region(region);
}
void TraceBuilder::regions_are_nested() {
  state_->nested = true;
}
void TraceBuilder::polls(Location location, Time time, std::uint64_t in_vain) {
  state_->at(location).polls(time, in_vain);
}
void TraceBuilder::file_bytes(Location location, Time time, std::uint64_t bytes) {
  state_->at(location).file_bytes(time, bytes);
}
void TraceBuilder::usage(Location location, UsageReading reading) {
  state_->at(location).usage(reading);
}
void TraceBuilder::counters(Location location, Time time, const WorkCounts& so_far) {
  state_->at(location).counters(time, so_far);
}
void TraceBuilder::counted_work(Location location, const WorkCounts& work) {
  state_->at(location).counted_work(work);
}

void TraceBuilder::send(Location location, Time time, Rank peer, CommId comm, std::int32_t tag,
                        std::uint64_t bytes) {
  state_->at(location).send(time, {.bytes = bytes, .peer = peer, .tag = tag, .comm = comm});
}

void TraceBuilder::recv(Location location, Time time, Rank peer, CommId comm, std::int32_t tag,
                        std::uint64_t bytes, bool any_source) {
  state_->at(location).recv(
      time, {.bytes = bytes, .peer = peer, .tag = tag, .comm = comm, .any_source = any_source});
}

void TraceBuilder::isend(Location location, Time time, Rank peer, CommId comm, std::int32_t tag,
                         std::uint64_t bytes, std::uint64_t request) {
  state_->at(location).isend(time, {.bytes = bytes, .peer = peer, .tag = tag, .comm = comm}, request);
}
void TraceBuilder::isend_complete(Location location, Time time, std::uint64_t request) {
  state_->at(location).isend_complete(time, request);
}
void TraceBuilder::irecv_request(Location location, Time time, std::uint64_t request, bool any_source) {
  state_->at(location).irecv_request(time, request, any_source);
}

void TraceBuilder::irecv(Location location, Time time, Rank peer, CommId comm, std::int32_t tag,
                         std::uint64_t bytes, std::uint64_t request) {
  state_->at(location).irecv(time, {.bytes = bytes, .peer = peer, .tag = tag, .comm = comm}, request);
}
void TraceBuilder::request_cancelled(Location location, Time time, std::uint64_t request) {
  state_->at(location).request_cancelled(time, request);
}

void TraceBuilder::collective_begin(Location location, Time time) {
  state_->at(location).collective_begin(time);
}

void TraceBuilder::collective_end(Location location, Time time, CollectiveKind kind, CommId comm, Rank root,
                                  std::uint64_t sent, std::uint64_t received, PeerListId peers) {
  state_->at(location).collective_end(
      time, {.sent = sent, .received = received, .comm = comm, .root = root, .kind = kind, .peers = peers});
}

void TraceBuilder::collective_request(Location location, Time time, std::uint64_t request) {
  state_->at(location).collective_request(time, request);
}

void TraceBuilder::collective_complete(Location location, Time time, const CollectivePart& part,
                                       std::uint64_t request) {
  state_->at(location).collective_complete(time, part, request);
}

void TraceBuilder::rma(Location location, const RmaRecord& record) {
  state_->at(location).rma(record);
}

void TraceBuilder::rma_group_sync(Location location, Time time, CommId window, PeerListId group) {
  state_->at(location).rma_group_sync({.time = time, .window = window, .group = group});
}

void TraceBuilder::sample(Location location, Time time, CallPathId call_path, std::uint32_t weight) {
  state_->at(location).sample(time, call_path, weight);
}

RegionId TraceBuilder::measurement_off() {
  RegionId& off = state_->measurement_off;
  if (off != kNoRegion) return off;
  const auto& regions = state_->trace.regions_;
  const auto defined = std::ranges::find(regions, std::string_view(kPauseRegion), &Region::name);
  return off = defined == regions.end() ? region({kPauseRegion}) : RegionId(defined - regions.begin());
}

void TraceBuilder::measurement(Location location, Time time, bool on) {
  const RegionId off = measurement_off();
  state_->at(location).switched(time, on);
  on ? leave(location, time, off) : enter(location, time, off);
}

const OffRegions& TraceBuilder::off_regions() {
  if (state_->off.blocked == kNoRegion)
    state_->off = {region({kBlockedRegion}),   region({kBlockedBelowRegion}),
                   region({kPreemptedRegion}), region({kPerhapsOffRegion}),
                   region({kPageFaultRegion}), region({kPageFaultBelowRegion}),
                   region({kNoThreadRegion})};
  return state_->off;
}
void TraceBuilder::off_processor(Location location, Time end, Duration length, OffReason reason,
                                 std::uint64_t turns) {
  state_->at(location).off_processor(end, length, reason, turns, off_regions());
}
void TraceBuilder::thread(Location location, Time time, const ThreadRecord& record) {
  state_->at(location).thread(time, record, state_->off);
}
void TraceBuilder::excerpt(Location location, std::uint64_t number) {
  state_->at(location).excerpt(number);
}
void TraceBuilder::total(Location location, CallPathId caller, RegionId region, CallTotal total) {
  state_->at(location).total(caller, region, total);
}
void TraceBuilder::parallel(Location location, const ParallelTotal& total) {
  state_->at(location).parallel(total);
}

void TraceBuilder::steps_passed(std::uint64_t steps) {
  const std::lock_guard lock(state_->skipped_mutex);
  state_->trace.facts_.steps_passed = std::max(state_->trace.facts_.steps_passed, steps);
}

void TraceBuilder::skipped(std::string_view record_name, std::uint64_t count) {
  const std::lock_guard lock(state_->skipped_mutex);
  state_->skipped[std::string(record_name)] += count;
}

void TraceBuilder::seen(Location location, Time time) {
  state_->at(location).seen(time);
}
void TraceBuilder::finish(Location location) {
  state_->at(location).finish();
}

// They take no part in what ranks do with each other.
void TraceBuilder::State::set_workers_aside() {
  std::vector<LocationInfo> locations;
  for (std::size_t i = 0; i < recorders.size(); ++i) {
    recorders[i].finish();
    LocationInfo& info = trace.locations_[i];
    if (info.thread != 0 && recorders[i].was_worker()) {
      recorders[i].join_call_paths(tree);
      trace.workers_.push_back({std::move(info), std::move(recorders[i].timeline())});
    } else {
      locations.push_back(std::move(info));
      kept.push_back(&recorders[i]);
    }
  }
  trace.locations_ = std::move(locations);
}

// Every rank gets a location, so that looking one up never fails.
void TraceBuilder::State::index_ranks() {
  constexpr Rank kMostRanks{1 << 24};
  Rank last = kNoRank;
  for (const LocationInfo& info : trace.locations_) {
    last = std::max(last, info.rank);
    if (info.rank >= Rank{0} && info.rank < kMostRanks) continue;
    throw TraceError("the trace names rank " + std::to_string(static_cast<int>(info.rank)) +
                     ": its definitions are probably damaged; record it again");
  }
  constexpr Location kNowhere{kNoOp};
  trace.main_location_.assign(index(last) + 1, kNowhere);
  for (std::size_t i = 0; i < trace.locations_.size(); ++i) {
    Location& main = trace.main_location_[index(trace.locations_[i].rank)];
    const std::uint32_t thread = trace.locations_[i].thread;
    if (main == kNowhere || thread < trace.locations_[index(main)].thread) main = Location(i);
  }
  // A few ranks may be missing, or most of a small run; but a damaged number in the definitions would add
  // very many, each of which takes some kilobytes.
  constexpr std::size_t kMostMissing = std::size_t{1} << 16;
  const auto missing = static_cast<std::size_t>(std::ranges::count(trace.main_location_, kNowhere));
  if (missing > kMostMissing && missing > trace.locations_.size()) {
    throw TraceError("the trace names rank " + std::to_string(static_cast<int>(last)) +
                     ", but has no location for " + std::to_string(missing) +
                     " of the ranks up to it: its definitions are probably damaged; record it again");
  }
  for (std::size_t rank = 0; rank < trace.main_location_.size(); ++rank) {
    if (trace.main_location_[rank] != kNowhere) continue;
    trace.main_location_[rank] = Location(trace.locations_.size());
    trace.locations_.push_back({.rank = Rank(rank), .name = "not recorded"});
    kept.push_back(&recorders.add(trace.regions_, tree, nested));
    kept.back()->finish();
    trace.anomalies_.add("ranks_without_records", Gravity::Serious,
                         "ranks have no location in the trace; first: rank " + std::to_string(rank));
  }
}

void TraceBuilder::State::define_world() {
  auto& communicators = trace.communicators_;
  const auto named = std::ranges::find(communicators, "MPI_COMM_WORLD", &Communicator::name);
  trace.world_ = CommId(named - communicators.begin());
  if (named != communicators.end()) return;
  Communicator world{.name = "MPI_COMM_WORLD"};
  for (std::size_t rank = 0; rank < trace.main_location_.size(); ++rank)
    world.members.emplace_back(Rank(rank));
  communicators.push_back(std::move(world));
}

void TraceBuilder::State::check_communicators() const {
  for (const Communicator& communicator : trace.communicators_) {
    for (const auto* members : {&communicator.members, &communicator.remote_members}) {
      for (const Rank member : *members) {
        if (member >= Rank{0} && index(member) < trace.main_location_.size()) continue;
        throw TraceError("communicator \"" + communicator.name + "\" has a member rank " +
                         std::to_string(static_cast<int>(member)) + ", but the trace has " +
                         std::to_string(trace.main_location_.size()) +
                         " ranks: its definitions are probably damaged; record it again");
      }
    }
  }
}

void TraceBuilder::State::settle_requests() {
  std::vector<std::vector<LocationRecorder*>> processes(trace.main_location_.size());
  for (std::size_t i = 0; i < kept.size(); ++i) processes[index(trace.locations_[i].rank)].push_back(kept[i]);
  for (const auto& process : processes) LocationRecorder::settle_requests(process);
}

void TraceBuilder::State::collect_columns() {
  bool any = false;
  for (LocationRecorder* const recorder : kept) {
    recorder->join_call_paths(tree);
    trace.facts_.communication_complete &= !recorder->was_paused();
    if (recorder->was_seen()) {
      const Timeline& timeline = recorder->timeline();
      trace.begin_ = any ? std::min(trace.begin_, timeline.begin()) : timeline.begin();
      trace.end_ = any ? std::max(trace.end_, timeline.end()) : timeline.end();
      any = true;
    }
  }
  settle_requests();
  for_each_index(kept.size(), [&](std::size_t i) {
    kept[i]->drop_unknown_peers(trace.main_location_.size(), trace.communicators_.size());
  });
  trace.timelines_.reserve(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i]->oddities().report(trace.locations_[i], trace.begin_, trace.anomalies_);
    trace.timelines_.push_back(std::move(kept[i]->timeline()));
  }
}

void TraceBuilder::State::report_skipped() {
  std::string names;
  std::uint64_t total = 0;
  for (const auto& [name, count] : skipped) {
    names += (names.empty() ? "" : ", ") + std::to_string(count) + " " + name;
    total += count;
  }
  if (total > 0) {
    trace.anomalies_.add("skipped_records", Gravity::Info,
                         "records without a meaning here were skipped: " + names, total);
  }
}

void TraceBuilder::State::report_artificial() {
  std::map<RegionId, Duration> total;
  for (std::size_t i = 0; i < recorders.size(); ++i)
    for (const auto& [region, time] : recorders[i].artificial_time())
      if (region != measurement_off) total[region] += time;  // what was left out is reported elsewhere
  std::string names;
  Duration time{}, lifetimes{};
  for (const auto& [region, length] : total) {
    names += (names.empty() ? "" : ", ") + trace.regions_[index(region)].name;
    time += length;
  }
  for (const Timeline& timeline : trace.timelines_) lifetimes += timeline.end() - timeline.begin();
  if (!total.empty()) report_overhead(names, time, lifetimes, trace.anomalies_);
}

Trace TraceBuilder::build() {
  state_->set_workers_aside();
  state_->index_ranks();
  state_->define_world();
  state_->check_communicators();
  state_->collect_columns();
  state_->report_skipped();
  state_->report_artificial();
  state_->recorders.clear();
  make_printable(state_->trace.facts_);
  state_->trace.without_sites_ = state_->tree.without_sites();
  state_->trace.call_paths_ = state_->tree.take();
  JoinedThreads(state_->trace).replace_waits();
  return join_excerpts(std::move(state_->trace));
}

}  // namespace waitdiag
