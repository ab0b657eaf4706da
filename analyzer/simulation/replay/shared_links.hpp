// Messages that share ports: max-min fair rates, recomputed where a message starts or ends.
//
// Each port has a level: no message gets more there, and those not held back elsewhere get exactly that. A
// port whose level changes makes its neighbours recompute theirs, until nothing changes any more: that gives
// max-min fairness, computed only near the change and not over the whole machine. A message may take less of
// a port than what it moves (Route::weight): the level then refers to what it moves.
//
// A message moves at r / (c * r0): r is its share of the ports, at most r0 (its route's most_rate); c its own
// time per byte. So the interval factor of MCPSim and SMPI, bandwidth(interval) / bandwidth(port), also
// applies to the capacity when several messages share it. Rates: the sum of weight * r over a port <= its
// capacity, and no message can get more without another that has at most as much getting less.
//
// Messages through the same ports, counting only ports that ever held one of them back, have the same share:
// they form a bundle, with a clock that runs at r / r0. A message of a bundle arrives when that clock has
// advanced by the time that the message takes alone, whatever the rates were in between; so a change of rates
// costs the same for one message as for a thousand. A message that is the only one at all of its ports is in no
// bundle until it meets another one: its end is known at once. Ports that only pass a bundle on (those of its cores,
// where the network is slower) just keep track of its rate.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/simulation/replay/earliest.hpp"
#include "analyzer/simulation/replay/routes.hpp"

namespace waitdiag {

class SharedLinks {
 public:
  static constexpr std::int64_t kNever = Earliest::kNever;
  // Relative: levels that differ by less count as equal, and ports are wider by this much, so that messages
  // which fill one exactly do not wait for each other.
  static constexpr double kSame = 1e-9;

  explicit SharedLinks(const std::vector<double>& capacity);

  // A message starts to move now; `owner` is returned when it has arrived. Its end is not known before
  // settle().
  void start(std::uint32_t owner, const Route& route, double bytes, std::int64_t now);
  // When the next message arrives, once settle() has been called for all that started or ended; kNever: none.
  std::int64_t next_end() const { return ends_.time(); }
  // Removes that message and returns its owner.
  std::uint32_t finish_next();
  // Recomputes rates after changes: to be called before time advances.
  void settle(std::int64_t now);
  bool unsettled() const { return !queue_.empty() || !touched_.empty(); }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  using Port = Route::Port;
  struct Flow {
    std::uint32_t owner = 0, links = 0;  // its ports: in ports_
    double most_rate = 0;
  };
  struct Arrival {
    double clock = 0;  // of its bundle
    std::uint32_t flow = 0;
    // For a heap with the earliest on top.
    friend bool operator<(const Arrival& a, const Arrival& b) {
      return a.clock != b.clock ? a.clock > b.clock : a.flow > b.flow;
    }
  };
  struct Pass {
    std::uint32_t link = 0, place = 0;  // in the link's entries
  };
  struct Bundle {
    bool touched = false, joined = false;  // joined: by a message whose end is not known yet
    double rate = 0;                       // bytes per ns, of the ports
    double most = 0;                       // the same alone
    double clock = 0;                      // ns for which a single message would have moved, as of `since`
    std::int64_t since = 0;
    // The lowest of `most` and the levels of `key`, the port where that is, and the lowest elsewhere.
    double lowest = 0, elsewhere = 0;
    std::uint32_t lowest_at = 0;
    std::uint32_t lone = 0;         // the flow that is alone on its ports; kNone: `arrivals` are
    std::uint32_t fingerprint = 0;  // of `most` and `key`: equal ones have the same
    std::vector<Port> key;          // ports that may hold it back; at least one
    std::vector<Pass> passes;       // all ports that one of its messages passes
    std::vector<Arrival> arrivals;  // a heap
  };
  struct Entry {
    std::uint32_t bundle = 0, pass = 0;  // its place in the bundle's passes
    std::uint32_t count : 31 = 0;        // how many of the bundle's messages take this port
    std::uint32_t in_key : 1 = 0;
    std::uint32_t fingerprint = 0;  // the bundle's: most entries need not be compared with more than that
    double weight = 0;
  };
  struct Link {
    double capacity = 0, wanted = 0;  // wanted: what its messages would take alone
    double lowest;                    // of all levels so far
    bool queued = false;
    std::uint32_t lone = kNone;  // the bundle of the only message here, until another one comes
    std::vector<Entry> entries;
  };

  void enqueue(std::uint32_t link);
  void want(std::uint32_t link, double more);
  void find_concern(std::uint32_t link);
  static double limit_elsewhere(const Bundle& bundle, std::uint32_t link) {
    return bundle.lowest_at == link ? bundle.elsewhere : bundle.lowest;
  }
  void find_lowest(Bundle& bundle) const;
  void change_lowest(Bundle& bundle, std::uint32_t link, double level_before) const;
  void find_limits(std::uint32_t link);
  double new_level(std::uint32_t link);
  void relax(std::uint32_t link, std::int64_t now);
  void hold_back(std::uint32_t link, std::int64_t now);
  std::span<const Port> ports(std::uint32_t flow) const {
    return {&ports_[flow * stride_], flows_[flow].links};
  }
  std::uint32_t new_flow(std::uint32_t owner, const Route& route);
  std::uint32_t bundle_of(std::span<const Port> ports, double most_rate, std::int64_t now);
  static std::uint32_t fingerprint_of(std::span<const Port> key, double most_rate);
  std::uint32_t new_bundle();
  bool is_alone(const Route& route) const;
  void start_alone(std::uint32_t flow, double ns, std::int64_t now);
  void end_alone(std::uint32_t bundle);
  void meet(std::uint32_t bundle, std::int64_t now);
  void start(std::uint32_t flow, double ns, std::int64_t now);
  void touch(std::uint32_t bundle);
  void join(std::uint32_t bundle, Arrival arrival);
  void leave(std::uint32_t bundle, std::span<const Port> ports);
  std::uint32_t place_of(std::uint32_t bundle, const Port& port) const;
  static void advance(Bundle& bundle, std::int64_t now);
  void reschedule(std::uint32_t bundle, std::int64_t now);

  std::vector<Link> links_;
  std::vector<double> level_;    // by link: the most that a message gets here; infinite: enough for all
  std::vector<double> concern_;  // by link: changes of rates above this need not be reported to it
  std::vector<Flow> flows_;
  std::vector<Port> ports_;  // of all flows, `stride_` of each
  std::size_t stride_ = 4;
  std::vector<std::uint32_t> free_flows_;
  std::vector<Bundle> bundles_;
  std::vector<std::uint32_t> free_bundles_;
  Earliest ends_;                       // by bundle
  std::vector<std::uint32_t> queue_;    // links whose level may have changed
  std::vector<std::uint32_t> touched_;  // bundles whose rate may have changed
  std::vector<Port> key_;               // of the bundle that is searched for
  struct Limit {
    double rate = 0, weight = 0;
  };
  std::vector<Limit> limits_;       // of the entries of one link
  double weights_ = 0, least_ = 0;  // of these: the sum, and the least rate
};

}  // namespace waitdiag
