// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/one_sided_signals.hpp"

#include <algorithm>
#include <tuple>

namespace waitdiag {
namespace {

class Collection {
 public:
  explicit Collection(const WaitStates& states) : states_(states) {}

  void add(OpRef told, Location location, const std::vector<std::uint32_t>& calls, std::uint32_t last) {
    const OpRef heard{location, where_it_waited(told, location, calls, last)};
    if (told.valid() && heard.valid() && told.location != location) signals_.push_back({told, heard});
  }

  std::vector<Signal> take() {
    std::sort(signals_.begin(), signals_.end(), [](const Signal& a, const Signal& b) {
      return std::tie(a.heard, a.told) < std::tie(b.heard, b.told);
    });
    signals_.erase(std::unique(signals_.begin(), signals_.end()), signals_.end());
    return std::move(signals_);
  }

 private:
  std::uint32_t where_it_waited(OpRef told, Location location, const std::vector<std::uint32_t>& calls,
                                std::uint32_t otherwise) const {
    const auto waits = states_.waits_of(location);
    for (const std::uint32_t call : calls) {
      const auto before = [](const WaitState& wait, std::uint32_t op) { return wait.victim.op < op; };
      auto wait = std::lower_bound(waits.begin(), waits.end(), call, before);
      for (; wait != waits.end() && wait->victim.op == call; ++wait)
        if (wait->cause == told) return call;
    }
    return otherwise;
  }

  const WaitStates& states_;
  std::vector<Signal> signals_;
};

}  // namespace

std::vector<Signal> one_sided_signals(const Trace& trace, const SyncPoints& sync, const WaitStates& states) {
  Collection collection(states);
  for (const ExposureEpoch& epoch : sync.exposure_epochs) {
    for (const OpRef complete : epoch.completes) collection.add(complete, epoch.location, {}, epoch.wait);
  }
  for (const AccessEpoch& epoch : sync.access_epochs) {
    std::vector<std::uint32_t> calls = epoch.accesses;
    calls.push_back(epoch.start);
    const std::uint32_t last = epoch.accesses.empty() ? kNoOp : epoch.complete;
    for (const OpRef post : epoch.posts) collection.add(post, epoch.location, calls, last);
  }
  for (const LockEpoch& epoch : sync.lock_epochs)
    collection.add(epoch.previous, epoch.location, epoch.calls, epoch.calls.back());
  for (const WaitState& wait : states.waits) {
    const WaitsFor waits_for = pattern(wait.pattern).waits_for;
    if (waits_for == WaitsFor::Probe || waits_for == WaitsFor::Signal)
      collection.add(wait.cause, wait.victim.location, {}, wait.victim.op);
    if (waits_for == WaitsFor::PolledSend)
      collection.add(wait.cause, wait.victim.location, {},
                     send_end(trace, sync.messages[wait.sync]).completed);
  }
  const auto is_an_end = [&trace](OpRef call) {
    return trace.region(trace.timeline(call.location).call_path(call.op)).name == kNoThreadRegion;
  };
  for (const ThreadNeed& need : sync.thread_needs)
    if (!is_an_end(need.on)) collection.add(need.on, need.call.location, {}, need.call.op);
  return collection.take();
}

}  // namespace waitdiag
