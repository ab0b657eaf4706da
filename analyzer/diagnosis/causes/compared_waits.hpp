// Some waits with the result of comparing both sides of each: everything that does not depend on the waits
// settled before, and all that settling them needs to know.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "analyzer/diagnosis/causes/passed_on.hpp"
#include "analyzer/diagnosis/causes/wait_comparison.hpp"
#include "analyzer/trace/parallel/pool.hpp"

namespace waitdiag {

struct ComparedWait {
  WaitState wait{};
  std::uint32_t index = 0;       // in WaitStates::waits
  std::uint32_t excess_end = 0;  // after the last excess time of this wait
  Time begin{}, end{};           // of the causing process, in the interval
  PassedOn::Stretch cut{};       // its waits there: of these only a share lies in the interval
  PassedOn::Stretch whole{};     // the ones after that
  double cut_share = 1;
  double victim_waited = 0;  // nanoseconds that the victim waited in its side of the interval
  bool is_cut = false;       // the part of a wait that is cut by the interval of the previous one
  bool goes_on = false;      // the next entry is such a part of this one's interval

  bool cuts_one() const { return cut.last == cut.first + 1 && cut_share > 0; }
};

struct ComparedWaits {
  std::vector<ComparedWait> waits;
  std::vector<ComparedExcess> excess;
};

// How waits compare whose intervals begin in the middle of others. In a chain of waits each is compared for all that
// follow it, with a cut at other instants: where both sides only waited, these tell no more than how much of that
// waiting lies behind the cut.
//
//   victim   ......wait........|
//   cause    work|...wait....|work|      any cut between a and b leaves the same work
//                 a          b
class CutWaits {
 public:
  struct Cut {
    std::uint32_t wait = kNoOp;
    Time after = Time::min(), before = Time::max();  // which it is alike between
    // Of the wait of the causing process that is cut; end <= begin: its interval begins later.
    Time begin{}, end{};
  };
  // Adds what a wait comes to behind `cut`; false: it is not known.
  bool add(std::uint32_t wait, Time cut, ComparedWaits& compared) const;
  // Keeps the last one of `compared`, whose excess begins at that place.
  void keep(const Cut& cut, const ComparedWaits& compared, std::size_t first_excess);

 private:
  static constexpr int kBits = 8;
  struct Known {
    Cut cut{};
    ComparedWait compared{};
    std::vector<ComparedExcess> excess{};
  };
  static std::size_t place(std::uint32_t wait) { return wait * 2654435761u >> (32 - kBits); }
  std::vector<Known> known_ = std::vector<Known>(std::size_t{1} << kBits);
};

class WaitComparer {
 public:
  WaitComparer(const Trace& trace, const WaitStates& states, const std::vector<SyncInterval>& intervals,
               const Activities& activities, const ActivitySums& sums, const PassedOn& passed_on,
               const UsualParts* usual, bool scalasca);

  bool looks_for_causes(const WaitState& wait) const {
    return !scalasca_ || pattern(wait.pattern).scalasca_explains;
  }
  // Those of `waits`, and the parts of waits that their intervals cut. By several threads at a time.
  void compare(std::span<const std::uint32_t> waits, ComparedWaits& compared);

 private:
  void expect(std::span<const std::uint32_t> next) const;
  void compare_one(std::uint32_t i, const SyncInterval& interval, WaitComparison& comparison,
                   ComparedWaits& compared) const;
  double waited_in(Location location, const IntervalTimes& side) const;
  // The objects of one thread.
  struct Workspace {
    WaitComparison whole;
    std::unique_ptr<WaitComparison> cut{};  // of waits that are cut; made when there is one
    CutWaits known{};
  };
  void follow_cut(Time cut, Workspace& work, ComparedWaits& compared) const;
  // One side of a wait's interval, as far as it lies behind an instant.
  struct SideBehind {
    IntervalSide side;
    bool is_cut = false;
  };
  CutWaits::Cut alike(std::uint32_t i, const SideBehind& cause, const SideBehind& victim) const;
  Duration waited_in_call(OpRef call) const;
  bool computes_at(Location location, const IntervalSide& behind, Time instant) const;
  SideBehind side_from(OpRef end, const IntervalSide& side, Time cut) const;

  const Trace& trace_;
  const WaitStates& states_;
  const std::vector<SyncInterval>& intervals_;
  const ActivitySums& sums_;
  const PassedOn& passed_on_;
  bool scalasca_;
  std::function<WaitComparison()> make_comparison_;
  Pool<Workspace> workspaces_;
};

}  // namespace waitdiag
