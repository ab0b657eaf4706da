// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/retiming/retime.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

RankedBits every_call(const Dependencies& dependencies) {
  RankedBits calls(dependencies.graph().calls());
  for (std::size_t call = 0; call < dependencies.graph().calls(); ++call) calls.set(call);
  calls.close();
  return calls;
}

// Several changes at once: what the order of calls and their dependencies cost is paid only once.
template <std::size_t Changes>
class Retimer {
 public:
  using Node = Dependencies::Node;
  using Times = std::array<Time, Changes>;

  // Keeps when the calls of `kept` were entered: at least those that others depend on.
  Retimer(const Trace& trace, const Dependencies& dependencies, const RankedBits& kept, const Change* changes)
      : trace_(trace),
        dependencies_(dependencies),
        kept_(kept),
        joined_(dependencies.graph().joins()),
        enter_(std::make_unique_for_overwrite<Times[]>(kept.count())),
        here_(trace.timelines().size()) {
    for (std::size_t c = 0; c < Changes; ++c) {
      no_transfer_[c] = changes[c].no_transfer;
      transfer_[c] = changes[c].transfer;
      other_network_ = other_network_ || changes[c].transfer != 1;
      const std::vector<std::vector<Saving>>& savings = timed(changes[c]);
      for (std::size_t l = 0; l < savings.size(); ++l) here_[l].savings[c] = savings[l];
    }
  }

  void run() {
    for (std::uint32_t l = 0; l < here_.size(); ++l) {
      const OpRef first{Location(l), 0};
      here_[l].kept = kept_.before(dependencies_.graph().node(first));
      here_[l].next.fill(trace_.timelines()[l].begin());
      enter_next(first, here_[l]);
    }
    for (const WaitForGraph::Run& run : dependencies_.graph().order()) {
      if (dependencies_.graph().is_call(run.first)) {
        follow(run);
      } else {
        join(run.first);
      }
    }
  }

  // Of the kept calls.
  std::vector<Time> enters(std::size_t change) const {
    std::vector<Time> enters(kept_.count());
    for (std::size_t i = 0; i < enters.size(); ++i) enters[i] = enter_[i][change];
    return enters;
  }
  std::vector<Time> ends(std::size_t change) const {
    std::vector<Time> ends;
    for (const Here& here : here_) ends.push_back(here.next[change]);
    return ends;
  }
  Time last_end(std::size_t change) const {
    Time last = trace_.begin();
    for (const Here& here : here_) last = std::max(last, here.next[change]);
    return last;
  }

 private:
  // Where a location has come to.
  struct Here {
    Times next{};                                            // the enter of the next call, or the end
    std::size_t kept = 0;                                    // calls that are kept before that one
    std::array<std::span<const Saving>, Changes> savings{};  // those to come
  };

  // What is saved here; asked in the order of savings.
  static Duration saved(std::span<const Saving>& savings, std::uint32_t op, bool in_call) {
    Duration sum{};
    for (; !savings.empty() && savings[0].op == op && savings[0].in_call == in_call;
         savings = savings.subspan(1))
      sum += savings[0].time;
    return sum;
  }

  void follow(const WaitForGraph::Run& run) {
    OpRef call = dependencies_.graph().call(run.first);
    Here& here = here_[index(call.location)];
    for (Node node = run.first; node < run.last; ++node) {
      Times& time = here.next;
      wait_for_needs(node, time);
      const Duration own = dependencies_.own(node);
      const bool other_network = other_network_ && moves_data(call);
      for (std::size_t c = 0; c < Changes; ++c) {
        Duration left = shorter_own(own, saved(here.savings[c], call.op, true));
        if (other_network) left = Duration(std::llround(transfer_[c] * static_cast<double>(left.count())));
        if (!no_transfer_[c]) time[c] += left;
      }
      ++call.op;
      enter_next(call, here);
    }
  }

  // To begin and to end, and to read files, take as long on any network.
  bool moves_data(OpRef call) const {
    switch (trace_.kind(call)) {
      case CallKind::Init:
      case CallKind::Finalize:
      case CallKind::FileCall:
      case CallKind::ThreadBarrier:
      case CallKind::ThreadSync:
      case CallKind::Artificial:
        return false;
      default:
        return true;
    }
  }

  // A call was entered, or a join complete.
  const Times& when(Node node) const {
    return dependencies_.graph().is_call(node) ? enter_[kept_.before(node)]
                                               : joined_[dependencies_.graph().join(node)];
  }
  void wait_for_needs(Node call, Times& released) const {
    for (const Node on : dependencies_.graph().of_call(call)) {
      const Times& time = when(on);
      for (std::size_t c = 0; c < Changes; ++c) released[c] = std::max(released[c], time[c]);
    }
  }

  // From when the call before it was left, or its location began.
  void enter_next(OpRef call, Here& here) {
    const Timeline& timeline = trace_.timeline(call.location);
    for (std::size_t c = 0; c < Changes; ++c)
      here.next[c] += shorter_gap(timeline, call.op, saved(here.savings[c], call.op, false));
    if (call.op < timeline.size() && kept_[dependencies_.graph().node(call)]) enter_[here.kept++] = here.next;
  }

  void join(Node join) {
    Times latest;
    latest.fill(Time::min());
    for (const Node member : dependencies_.graph().members(join)) {
      const Times& time = when(member);
      for (std::size_t c = 0; c < Changes; ++c) latest[c] = std::max(latest[c], time[c]);
    }
    joined_[dependencies_.graph().join(join)] = latest;
  }

  const Trace& trace_;
  const Dependencies& dependencies_;
  const RankedBits& kept_;
  std::array<bool, Changes> no_transfer_{};
  std::array<double, Changes> transfer_{};
  bool other_network_ = false;      // of any change
  std::vector<Times> joined_;       // by join
  std::unique_ptr<Times[]> enter_;  // by kept call
  std::vector<Here> here_;          // by location
};

template <std::size_t Changes>
void replay(const Trace& trace, const Dependencies& dependencies, const RankedBits& kept,
            const Change* changes, Time* ends) {
  Retimer<Changes> replay(trace, dependencies, kept, changes);
  replay.run();
  for (std::size_t c = 0; c < Changes; ++c) ends[c] = replay.last_end(c);
}

}  // namespace

bool of_computation_only(const Change& change) {
  return std::ranges::all_of(timed(change), [](const std::vector<Saving>& savings) {
    return std::ranges::none_of(savings, &Saving::in_call);
  });
}

Retimed retime(const Trace& trace, const Dependencies& dependencies, const Change& change) {
  const RankedBits kept = every_call(dependencies);
  Retimer<1> replay(trace, dependencies, kept, &change);
  replay.run();
  return {.enter = replay.enters(0), .end = replay.ends(0), .last_end = replay.last_end(0)};
}

std::vector<Time> retimed_ends(const Trace& trace, const Dependencies& dependencies,
                               std::span<const Change> changes) {
  constexpr std::size_t kMost = 2;  // at once: a time for each of them and every call is kept
  const std::size_t groups = std::max((changes.size() + kMost - 1) / kMost, std::min(changes.size(), kMost));
  const RankedBits kept = needed_calls(dependencies.graph());
  std::vector<Time> ends(changes.size());
  for_each_index(groups, [&](std::size_t group) {
    const std::size_t first = group * changes.size() / groups, last = (group + 1) * changes.size() / groups;
    static_assert(kMost == 2);
    if (last - first == 1) replay<1>(trace, dependencies, kept, &changes[first], &ends[first]);
    if (last - first == 2) replay<2>(trace, dependencies, kept, &changes[first], &ends[first]);
  });
  return ends;
}

}  // namespace waitdiag
