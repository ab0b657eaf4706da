// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/sync_steps.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "analyzer/trace/model/counts.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/collective_class.hpp"

namespace waitdiag {
namespace {

// The first of `count` places whose operation is not before `op`; operations do not decrease.
template <typename OpAt>
std::size_t place_of(std::size_t count, std::uint32_t op, OpAt op_at) {
  std::size_t first = 0;
  while (count > 0) {
    const std::size_t half = count / 2;
    if (op_at(first + half) < op) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

}  // namespace

template <typename ForEach>
SyncSteps::Columns SyncSteps::columns(std::size_t locations, ForEach for_each) {
  Columns result{.first = std::vector<std::uint32_t>(locations + 1, 0), .steps = {}};
  for_each([&](Location location, AtCall) { ++result.first[index(location) + 1]; });
  add_up(result.first, "messages and parts in collective operations");
  result.steps.resize(result.first.back());
  std::vector<std::uint32_t> next(result.first.begin(), result.first.end() - 1);
  for_each([&](Location location, AtCall step) { result.steps[next[index(location)]++] = step; });
  const auto by_op = [](const AtCall& a, const AtCall& b) { return a.op < b.op; };
  for_each_index(locations, [&](std::size_t l) {
    const auto begin = result.steps.begin() + result.first[l],
               end = result.steps.begin() + result.first[l + 1];
    if (!std::is_sorted(begin, end, by_op)) std::stable_sort(begin, end, by_op);
  });
  return result;
}

SyncSteps::SyncSteps(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                     const Epochs& epochs)
    : signals_(one_sided_signals(trace, sync, states)) {
  const std::size_t locations = trace.timelines().size();
  const auto for_each_part = [&](auto visit) {
    for (std::uint32_t i = 0; i < sync.collectives.size(); ++i) {
      const CollectiveInstance& instance = sync.collectives[i];
      if (epochs.is_end(i)) continue;
      for (std::uint32_t m = 0; m < instance.members; ++m) visit(i, instance.first_member + m);
    }
  };
  const auto gathers = [&](std::uint32_t i) { return !is_by_peers(class_of(sync.collectives[i].kind)); };
  const auto starts = [&](auto visit) {
    for_each_part([&](std::uint32_t i, std::uint32_t m) {
      const std::uint32_t op = operation_of(trace, sync.collectives[i], sync.members[m]);
      if (gathers(i)) visit(sync.members[m].location, AtCall{op, i});
    });
  };
  const auto at_completion = [&](bool joint) {
    return [&, joint](auto visit) {
      for_each_part([&](std::uint32_t i, std::uint32_t m) {
        const std::uint32_t op = completion_of(trace, sync.collectives[i], sync.members[m]);
        if (gathers(i) == joint) visit(sync.members[m].location, AtCall{op, joint ? i : m});
      });
    };
  };
  const auto causes = [&](auto visit) {
    for (std::uint32_t i = 0; i < states.waits.size(); ++i) {
      visit(states.waits[i].cause.location, AtCall{states.waits[i].cause.op, i});
    }
  };
  const auto at_end = [&](OpRef Signal::*end) {
    return [&, end](auto visit) {
      for (std::uint32_t i = 0; i < signals_.size(); ++i)
        visit((signals_[i].*end).location, AtCall{(signals_[i].*end).op, i});
    };
  };
  const std::array<std::function<void()>, 6> all = {
      [&] { collectives_ = columns(locations, starts); },
      [&] { completed_ = columns(locations, at_completion(true)); },
      [&] { by_sources_ = columns(locations, at_completion(false)); },
      [&] { caused_ = columns(locations, causes); },
      [&] { told_ = columns(locations, at_end(&Signal::told)); },
      [&] { heard_ = columns(locations, at_end(&Signal::heard)); }};
  for_each_index(all.size(), [&](std::size_t i) { all[i](); });
}

LocationSteps::LocationSteps(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                             const SyncSteps& steps, Location location, std::uint32_t start)
    : sync_(&sync),
      sent_(&trace.timeline(location).sends()),
      received_(&trace.timeline(location).receives()),
      sends_(sync.sent_by(location)),
      receives_(sync.received_by(location)),
      collectives_(steps.collectives(location)),
      completed_(steps.completed(location)),
      by_sources_(steps.by_sources(location)),
      caused_(steps.caused(location)),
      told_(steps.told(location)),
      heard_(steps.heard(location)),
      waits_(states.waits_of(location)),
      first_message_(sync.first_received[index(location)]),
      first_wait_(states.first_wait[index(location)]),
      first_signal_(steps.first_heard(index(location))) {
  if (start != kNoOp) {
    send_ = place_of(sends_.size(), start, [&](std::size_t i) { return send_op(i); });
    receive_ = place_of(receives_.size(), start, [&](std::size_t i) { return receive_op(i); });
    collective_ = place_of(collectives_.size(), start, [&](std::size_t i) { return collectives_[i].op; });
    complete_ = place_of(completed_.size(), start, [&](std::size_t i) { return completed_[i].op; });
    source_ = place_of(by_sources_.size(), start, [&](std::size_t i) { return by_sources_[i].op; });
    caused_wait_ = place_of(caused_.size(), start, [&](std::size_t i) { return caused_[i].op; });
    tell_ = place_of(told_.size(), start, [&](std::size_t i) { return told_[i].op; });
    hear_ = place_of(heard_.size(), start, [&](std::size_t i) { return heard_[i].op; });
    wait_ = place_of(waits_.size(), start, [&](std::size_t i) { return waits_[i].victim.op; });
  }
  find_next();
  entered_ = start != kNoOp && op_ == start;
}

void LocationSteps::find_next() {
  op_ = kNoOp;
  entered_ = false;
  if (send_ < sends_.size()) op_ = std::min(op_, send_op(send_));
  if (receive_ < receives_.size()) op_ = std::min(op_, receive_op(receive_));
  if (collective_ < collectives_.size()) op_ = std::min(op_, collectives_[collective_].op);
  if (complete_ < completed_.size()) op_ = std::min(op_, completed_[complete_].op);
  if (source_ < by_sources_.size()) op_ = std::min(op_, by_sources_[source_].op);
  if (wait_ < waits_.size()) op_ = std::min(op_, waits_[wait_].victim.op);
  if (caused_wait_ < caused_.size()) op_ = std::min(op_, caused_[caused_wait_].op);
  if (tell_ < told_.size()) op_ = std::min(op_, told_[tell_].op);
  if (hear_ < heard_.size()) op_ = std::min(op_, heard_[hear_].op);
}

void LocationSteps::leave() {
  while (send_ < sends_.size() && send_op(send_) == op_) ++send_;
  while (receive_ < receives_.size() && receive_op(receive_) == op_) ++receive_;
  while (collective_ < collectives_.size() && collectives_[collective_].op == op_) ++collective_;
  while (complete_ < completed_.size() && completed_[complete_].op == op_) ++complete_;
  while (source_ < by_sources_.size() && by_sources_[source_].op == op_) ++source_;
  while (wait_ < waits_.size() && waits_[wait_].victim.op == op_) ++wait_;
  while (caused_wait_ < caused_.size() && caused_[caused_wait_].op == op_) ++caused_wait_;
  while (tell_ < told_.size() && told_[tell_].op == op_) ++tell_;
  while (hear_ < heard_.size() && heard_[hear_].op == op_) ++hear_;
  find_next();
}

}  // namespace waitdiag
