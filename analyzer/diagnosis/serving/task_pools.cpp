// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/serving/task_pools.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace waitdiag {
namespace {

// Stretches of a location between collective operations.
class Stretches {
 public:
  Stretches(const Trace& trace, const SyncPoints& sync) : trace_(trace), ends_(trace.timelines().size()) {
    for (std::size_t l = 0; l < ends_.size(); ++l)
      for (const CollectivePart& part : trace.timelines()[l].collectives()) ends_[l].push_back(part.op);
    for (const CollectiveInstance& instance : sync.collectives)
      if (by_call(instance.kind))
        for (const CollectiveMember& member : sync.members_of(instance))
          ends_[index(member.location)].push_back(member.part);
    for (std::vector<std::uint32_t>& ends : ends_) {
      std::ranges::sort(ends);
      ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    }
  }
  // The one that a call lies in: its first and last gap.
  std::pair<std::uint32_t, std::uint32_t> around(OpRef call) const {
    const std::vector<std::uint32_t>& ends = ends_[index(call.location)];
    const auto next = std::ranges::upper_bound(ends, call.op);
    const std::uint32_t last =
        next == ends.end() ? static_cast<std::uint32_t>(trace_.timeline(call.location).size()) : *next;
    return {next == ends.begin() ? 0 : *std::prev(next) + 1, last};
  }

 private:
  const Trace& trace_;
  std::vector<std::vector<std::uint32_t>> ends_;  // by location: collective calls
};

// One for each stretch of a server's services.
void add_server_pools(const Stretches& stretches, const std::vector<std::vector<Services>>& services,
                      std::vector<TaskPool>& pools) {
  for (const std::vector<Services>& of_location : services)
    for (const Services& one : of_location) {
      std::map<std::pair<Location, std::uint32_t>, TaskPool::Worker> workers;
      for (const Service& service : one.in_order)
        for (const OpRef sent : service.needs) {
          const auto [first, last] = stretches.around(sent);
          ++workers.try_emplace({sent.location, first}, TaskPool::Worker{sent.location, first, last, 0})
                .first->second.requests;
        }
      TaskPool pool{.workers = {}, .has_server = true, .server = one.server};
      for (const auto& [key, worker] : workers) pool.workers.push_back(worker);
      pools.push_back(std::move(pool));
    }
}

// What a process gets from memory that others change as well, and changes itself, is its next task.
bool may_take_task(const RmaRecord& record) {
  return (record.what == RmaRecord::What::Atomic && record.returned > 0) ||
         (record.what == RmaRecord::What::Lock && record.exclusive);
}

void add_window_pools(const Trace& trace, const SyncPoints& sync, std::vector<TaskPool>& pools) {
  std::map<Location, std::vector<std::uint32_t>> joint;  // calls of all ranks
  std::size_t count = 0;
  for (const CollectiveInstance& instance : sync.collectives) {
    if (instance.members != trace.ranks()) continue;
    ++count;
    for (const CollectiveMember& member : sync.members_of(instance))
      joint[member.location].push_back(operation_of(trace, instance, member));
  }
  std::vector<TaskPool> found(count + 1);
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    std::vector<std::uint32_t>& ends = joint[Location(l)];
    if (ends.size() != count) continue;  // another thread
    std::ranges::sort(ends);
    for (const RmaRecord& record : timeline.rma()) {
      if (!may_take_task(record)) continue;
      const auto window = static_cast<std::size_t>(std::ranges::upper_bound(ends, record.op) - ends.begin());
      std::vector<TaskPool::Worker>& workers = found[window].workers;
      if (workers.empty() || workers.back().location != Location(l))
        workers.push_back({Location(l), window == 0 ? 0 : ends[window - 1] + 1,
                           window < count ? ends[window] : static_cast<std::uint32_t>(timeline.size()), 0});
      ++workers.back().requests;
    }
  }
  std::ranges::move(found, std::back_inserter(pools));
}

}  // namespace

std::vector<TaskPool> find_task_pools(const Trace& trace, const SyncPoints& sync,
                                      const std::vector<std::vector<Services>>& services) {
  std::vector<TaskPool> pools;
  // Both look at all collective operations of the run, which may be many.
  if (std::ranges::any_of(services, [](const auto& of_location) { return !of_location.empty(); }))
    add_server_pools(Stretches(trace, sync), services, pools);
  if (std::ranges::any_of(trace.timelines(), [](const Timeline& timeline) {
        return std::ranges::any_of(timeline.rma(), may_take_task);
      }))
    add_window_pools(trace, sync, pools);
  std::erase_if(pools, [](const TaskPool& pool) { return pool.workers.size() < 2; });
  return pools;
}

}  // namespace waitdiag
