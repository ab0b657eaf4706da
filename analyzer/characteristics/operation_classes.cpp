// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/characteristics/operation_classes.hpp"

#include <algorithm>
#include <array>

#include "analyzer/characteristics/desynchronisation.hpp"
#include "analyzer/model/mpi_calls.hpp"

namespace waitdiag {
namespace {

enum Class : std::size_t {
  Messages,
  Completions,
  Barriers,
  Broadcasts,
  Reductions,
  AllToAll,
  Scans,
  RemoteAccess,
  InputOutput,
  StartAndEnd,
  Other,
  Classes
};
constexpr std::array<std::string_view, Classes> kIds{
    "messages", "completions",   "barriers",     "one_to_all",    "all_to_one", "all_to_all",
    "prefix",   "remote_access", "input_output", "start_and_end", "other"};

Class class_by_name(const std::string& name) {
  if (name.starts_with("MPI_File_")) return InputOutput;
  for (const char* prefix : {"MPI_Win_", "MPI_Put", "MPI_Get", "MPI_Rput", "MPI_Rget", "MPI_Accumulate",
                             "MPI_Raccumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap"}) {
    const bool about = name.starts_with("MPI_Get_");  // MPI_Get_count and the like, but MPI_Get_accumulate
    if (name.starts_with(prefix) && (!about || name.starts_with("MPI_Get_accumulate"))) return RemoteAccess;
  }
  return Other;
}

Class class_of_region(const Region& region) {
  switch (region.kind) {
    case CallKind::Send:
    case CallKind::Sendrecv:
    case CallKind::Isend:
    case CallKind::Recv:
    case CallKind::Irecv:
    case CallKind::PersistentInit:
    case CallKind::Start:
    case CallKind::Probe:
    case CallKind::Iprobe:
      return Messages;
    case CallKind::Wait:
    case CallKind::Waitany:
    case CallKind::Waitall:
    case CallKind::Waitsome:
    case CallKind::Test:
    case CallKind::Testany:
    case CallKind::Testall:
    case CallKind::Testsome:
      return Completions;
    case CallKind::Barrier:
      return Barriers;
    case CallKind::OneToAll:
      return Broadcasts;
    case CallKind::AllToOne:
      return Reductions;
    case CallKind::AllToAll:
    case CallKind::AllToAllVariable:
      return AllToAll;
    case CallKind::Scan:
      return Scans;
    case CallKind::Init:
    case CallKind::Finalize:
      return StartAndEnd;
    default:
      return class_by_name(region.name);
  }
}

}  // namespace

std::vector<bool> gaps_with_overlap(const Timeline& timeline) {
  std::vector<std::int32_t> change(timeline.gaps() + 1, 0);
  const auto under_way = [&](const MessageEnd& end) {
    if (end.posted == kNoOp || end.completed == kNoOp || end.posted >= end.completed) return;
    ++change[end.posted + 1];
    --change[end.completed + 1];
  };
  for (const MessageEnd& end : timeline.sends()) under_way(end);
  for (const MessageEnd& end : timeline.receives()) under_way(end);
  std::vector<bool> overlap(timeline.gaps());
  std::int32_t open = 0;
  for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
    open += change[gap];
    overlap[gap] = open > 0;
  }
  return overlap;
}

std::vector<OperationClass> operation_classes(const Trace& trace, const SyncPoints& sync,
                                              const WaitStates& states) {
  std::array<OperationClass, Classes> classes;
  for (std::size_t i = 0; i < Classes; ++i) classes[i].id = kIds[i];
  std::vector<Class> class_of_path;
  for (std::size_t path = 0; path < trace.call_paths().size(); ++path)
    class_of_path.push_back(class_of_region(trace.region(CallPathId(path))));
  const auto at = [&](CallPathId path) -> OperationClass& { return classes[class_of_path[index(path)]]; };
  const MpiCalls mpi(trace);
  for (std::size_t l = 0; l < trace.timelines().size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      if (!mpi.contains({Location(l), op})) continue;
      OperationClass& mine = at(timeline.call_path(op));
      ++mine.count;
      mine.time += timeline.length(op);
    }
    const std::vector<bool> overlaps = gaps_with_overlap(timeline);
    for (std::size_t gap = 0; gap < timeline.gaps(); ++gap)
      if (overlaps[gap]) classes[Messages].overlap += timeline.gap_end(gap) - timeline.gap_begin(gap);
  }
  for (const WaitState& wait : states.waits)
    if (mpi.contains(wait.victim)) at(trace.call_path(wait.victim)).waiting += wait.wait;
  for_each_desynchronised(trace, sync, [&](OpRef call, Duration before, Duration after) {
    OperationClass& mine = at(trace.call_path(call));
    mine.desynchronised_before += before;
    mine.desynchronised_after += after;
  });
  std::vector<OperationClass> result;
  std::copy_if(classes.begin(), classes.end(), std::back_inserter(result),
               [](const OperationClass& mine) { return mine.count > 0; });
  return result;
}

}  // namespace waitdiag
