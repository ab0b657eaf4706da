// Messages that share ports: max-min fair rates, recomputed where a message starts or ends.
//
// Each port has a level: nobody gets more there, and who is not held back elsewhere gets just that. A port
// whose level changes makes its neighbours look at theirs, until nothing changes any more: that is max-min
// fairness, found where something happened and not over the whole machine. A message may take less of a port
// than what it moves (Route::weight): the level is then about what it moves.
//
// A message moves at r / (c * r0): r is its share of the ports, at most r0 (its route's most_rate); c its own
// time per byte. So the interval factor of MCPSim and SMPI, bandwidth(interval) / bandwidth(port), applies to
// the capacity as well when several share it. Rates: sum of weight * r over a port <= its capacity, and
// nobody can get more without somebody who has less or as much getting less.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/replay/routes.hpp"

namespace waitdiag {

class SharedLinks {
 public:
  static constexpr std::int64_t kNever = INT64_MAX;

  explicit SharedLinks(const std::vector<double>& capacity);

  // A message starts to move now; `owner` comes back when it has arrived.
  void start(std::uint32_t owner, const Route& route, double bytes, std::int64_t now);
  // When the next message arrives, once settle() has been called for all that started or ended; kNever: none.
  std::int64_t next_end() const { return heap_.empty() ? kNever : flows_[heap_.front()].end; }
  // Takes that message out; its owner.
  std::uint32_t finish_next();
  // Rates changed at this time: to be called before time goes on.
  void settle(std::int64_t now);
  bool unsettled() const { return !queue_.empty() || !touched_.empty(); }

 private:
  struct Flow {
    std::uint32_t owner = 0, links = 0, heap_place = 0;
    bool touched = false;
    double left = 0;         // ns that it would still take alone
    double rate = 0;         // bytes per ns, of the ports
    double most = 0;         // the same alone
    std::int64_t since = 0;  // `left` is as of then
    std::int64_t end = kNever;
    std::array<std::uint32_t, Route::kMostLinks> link{};
    std::array<float, Route::kMostLinks> weight{};
    std::array<std::uint32_t, Route::kMostLinks> place{};  // in the link's list
  };
  struct Link {
    double capacity = 0, wanted = 0;  // wanted: what its flows would take alone
    double level;                     // what nobody gets more of here; infinite: enough for all
    bool queued = false;
    struct Entry {
      std::uint32_t flow = 0;
      float weight = 1;
    };
    std::vector<Entry> flows;
  };

  void enqueue(std::uint32_t link);
  double limit_elsewhere(const Flow& flow, std::uint32_t link) const;
  double new_level(std::uint32_t link);
  void relax(std::uint32_t link);
  void reschedule(std::uint32_t flow, std::int64_t now);
  void sift_up(std::size_t place);
  void sift_down(std::size_t place);
  void put(std::size_t place, std::uint32_t flow);

  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::uint32_t> heap_;     // flows, by end
  std::vector<std::uint32_t> queue_;    // links whose level may have changed
  std::vector<std::uint32_t> touched_;  // flows whose rate may have changed
  struct Limit {
    double rate = 0, weight = 0;
  };
  std::vector<Limit> limits_;
};

}  // namespace waitdiag
