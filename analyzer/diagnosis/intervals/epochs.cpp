// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/epochs.hpp"

#include <algorithm>

#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/collective_class.hpp"
#include "analyzer/trace/wait_for_graph/collective.hpp"

namespace waitdiag {
namespace {

struct Candidate {
  std::uint32_t instance = 0;
  std::vector<std::uint32_t> ops;  // by location
};

bool all_were_inside(const Trace& trace, const CollectiveInstance& instance, const SyncPoints& sync) {
  Time last_enter = Time::min(), first_leave = Time::max();
  for (const CollectiveMember& member : sync.members_of(instance)) {
    const OpRef call{member.location, operation_of(trace, instance, member)};
    last_enter = std::max(last_enter, trace.enter(call));
    first_leave = std::min(first_leave, trace.leave(call));
  }
  return last_enter <= first_leave;
}

bool joins_all(const Trace& trace, const CollectiveInstance& instance, const SyncPoints& sync) {
  const CallKind kind = class_of(instance.kind);
  if (all_wait_for_all(kind)) return all_were_inside(trace, instance, sync);
  return is_by_peers(kind) && Collective(trace, sync, instance).joins_all();
}

std::vector<Candidate> candidates(const Trace& trace, const SyncPoints& sync, std::size_t active) {
  constexpr std::size_t kBlock = 256;
  std::vector<Candidate> found(sync.collectives.size());
  for_each_block(
      found.size(),
      [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const CollectiveInstance& instance = sync.collectives[i];
          if (!instance.in_one_piece() || instance.members != active || !joins_all(trace, instance, sync))
            continue;
          found[i] = {static_cast<std::uint32_t>(i),
                      std::vector<std::uint32_t>(trace.timelines().size(), kNoOp)};
          for (const CollectiveMember& member : sync.members_of(instance))
            found[i].ops[index(member.location)] = operation_of(trace, instance, member);
        }
      },
      kBlock);
  std::erase_if(found, [](const Candidate& candidate) { return candidate.ops.empty(); });
  return found;
}

}  // namespace

Epochs::Epochs(const Trace& trace, const SyncPoints& sync) : is_end_(sync.collectives.size(), false) {
  const auto& timelines = trace.timelines();
  const auto is_active = [](const Timeline& timeline) { return timeline.size() > 0; };
  const auto active = static_cast<std::size_t>(std::count_if(timelines.begin(), timelines.end(), is_active));
  const auto first = static_cast<std::size_t>(std::find_if(timelines.begin(), timelines.end(), is_active) -
                                              timelines.begin());
  std::vector<Candidate> found = candidates(trace, sync, active);
  std::sort(found.begin(), found.end(),
            [&](const Candidate& a, const Candidate& b) { return a.ops[first] < b.ops[first]; });
  const auto comes_after = [&](const std::vector<std::uint32_t>& ops) {
    if (ends_.empty()) return true;
    for (std::size_t l = 0; l < ops.size(); ++l) {
      if (ops[l] != kNoOp && ops[l] <= ends_.back()[l]) return false;
    }
    return true;
  };
  for (Candidate& candidate : found) {
    if (!comes_after(candidate.ops)) continue;  // in another order elsewhere: impossible, so no end
    is_end_[candidate.instance] = true;
    ends_.push_back(std::move(candidate.ops));
  }
}

}  // namespace waitdiag
