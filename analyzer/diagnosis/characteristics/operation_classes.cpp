// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/characteristics/operation_classes.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "analyzer/diagnosis/characteristics/desynchronisation.hpp"
#include "analyzer/trace/model/call_class.hpp"
#include "analyzer/trace/model/mpi_calls.hpp"

namespace waitdiag {
namespace {

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
  std::vector<std::int32_t> change_;  // of the number of operations under way, by gap
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
  const CallClassColumn operations(&waitprof::schema::CallClassNames::operation);
  std::vector<OperationClass> classes(operations.words().size());
  for (std::size_t i = 0; i < classes.size(); ++i) classes[i].id = operations.words()[i];
  std::vector<std::size_t> class_of_path;
  for (std::size_t path = 0; path < trace.call_paths().size(); ++path)
    class_of_path.push_back(operations.of(call_class(trace.region(CallPathId(path)))));
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
    std::map<std::size_t, UnderWay> under_way;
    for_each_nonblocking(timeline, [&](std::uint32_t started, std::uint32_t completed) {
      const std::size_t of_start = class_of_path[index(timeline.call_path(started))];
      under_way.try_emplace(of_start, timeline).first->second.add(started, completed);
    });
    for (const auto& [of_start, started] : under_way) {
      const std::vector<bool> overlaps = started.gaps();
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
