// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/characteristics/operation_classes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>

#include "analyzer/diagnosis/characteristics/desynchronisation.hpp"
#include "analyzer/trace/model/mpi_calls.hpp"
#include "analyzer/trace/model/trace_builder.hpp"

namespace waitdiag {
namespace {

enum Class : std::size_t {
  Messages,
  Completions,
  Barriers,
  Broadcasts,
  Reductions,
  AllToAll,
  Neighbours,
  Scans,
  RemoteAccess,
  InputOutput,
  StartAndEnd,
  Other,
  Classes
};
constexpr std::array<std::string_view, Classes> kIds{
    "messages",   "completions", "barriers",      "one_to_all",   "all_to_one",    "all_to_all",
    "neighbours", "prefix",      "remote_access", "input_output", "start_and_end", "other"};

// The blocking collective that MPI_Iallreduce and MPI_Allreduce_init stand for: MPI_Allreduce. Any other call
// gives some name that MPI does not have.
std::string blocking_twin(const std::string& name) {
  constexpr std::string_view kNonblocking = "MPI_I", kPersistent = "_init";
  std::string twin = name;
  if (const std::size_t init = twin.find(kPersistent); init != twin.npos)
    return twin.erase(init, kPersistent.size());
  if (!twin.starts_with(kNonblocking) || twin.size() == kNonblocking.size()) return "";
  twin.erase(kNonblocking.size() - 1, 1);
  char& first = twin[kNonblocking.size() - 1];
  first = static_cast<char>(std::toupper(static_cast<unsigned char>(first)));
  return twin;
}

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
    case CallKind::GetStatus:
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
    case CallKind::Neighbourhood:
      return Neighbours;
    case CallKind::Scan:
      return Scans;
    case CallKind::Init:
    case CallKind::Finalize:
      return StartAndEnd;
    case CallKind::OtherMpi: {
      Region twin{.name = blocking_twin(region.name)};
      classify_region(twin);
      return twin.mpi() && twin.kind != CallKind::OtherMpi ? class_of_region(twin)
                                                           : class_by_name(region.name);
    }
    default:
      return class_by_name(region.name);
  }
}

// Calls visit(started, completed) with the calls of every nonblocking operation.
template <typename Visit>
void for_each_nonblocking(const Timeline& timeline, Visit visit) {
  const auto under_way = [&](std::uint32_t started, std::uint32_t completed) {
    if (started != kNoOp && completed != kNoOp && started < completed) visit(started, completed);
  };
  for (const MessageEnd& end : timeline.sends()) under_way(end.posted, end.completed);
  for (const MessageEnd& end : timeline.receives()) under_way(end.posted, end.completed);
  for (const CollectivePart& part : timeline.collectives()) under_way(part.op, part.completed);
}

class UnderWay {
 public:
  explicit UnderWay(const Timeline& timeline) : change_(timeline.gaps() + 1, 0) {}
  void add(std::uint32_t started, std::uint32_t completed) {
    ++change_[started + 1];
    --change_[completed + 1];
  }
  std::vector<bool> gaps() const {
    std::vector<bool> gaps(change_.size() - 1);
    std::int32_t open = 0;
    for (std::size_t gap = 0; gap < gaps.size(); ++gap) {
      open += change_[gap];
      gaps[gap] = open > 0;
    }
    return gaps;
  }

 private:
  std::vector<std::int32_t> change_;  // of how many are under way, by gap
};

}  // namespace

std::vector<bool> gaps_with_overlap(const Timeline& timeline) {
  UnderWay under_way(timeline);
  for_each_nonblocking(
      timeline, [&](std::uint32_t started, std::uint32_t completed) { under_way.add(started, completed); });
  return under_way.gaps();
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
    std::map<Class, UnderWay> under_way;
    for_each_nonblocking(timeline, [&](std::uint32_t started, std::uint32_t completed) {
      const Class of_start = class_of_path[index(timeline.call_path(started))];
      under_way.try_emplace(of_start, timeline).first->second.add(started, completed);
    });
    for (const auto& [of_start, operations] : under_way) {
      const std::vector<bool> overlaps = operations.gaps();
      for (std::size_t gap = 0; gap < timeline.gaps(); ++gap)
        if (overlaps[gap]) classes[of_start].overlap += timeline.gap_end(gap) - timeline.gap_begin(gap);
    }
  }
  for (const WaitState& wait : states.waits)
    if (mpi.contains(wait.victim)) at(trace.call_path(wait.victim)).waiting += wait.wait;
  for_each_desynchronised(trace, sync, [&](OpRef call, Duration before, Duration after) {
    OperationClass& mine = at(trace.call_path(call));
    mine.desynchronised_before = sum_of(mine.desynchronised_before, before);
    mine.desynchronised_after = sum_of(mine.desynchronised_after, after);
  });
  std::vector<OperationClass> result;
  std::copy_if(classes.begin(), classes.end(), std::back_inserter(result),
               [](const OperationClass& mine) { return mine.count > 0; });
  return result;
}

}  // namespace waitdiag
