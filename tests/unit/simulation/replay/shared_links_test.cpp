// Messages at shared ports against the definition of max-min fairness, recomputed at every event.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "analyzer/simulation/replay/shared_links.hpp"

namespace waitdiag {
namespace {

struct Sent {
  std::int64_t start = 0;
  double bytes = 0;
  Route route;
};

// Raises all rates together until a port is full or a message has its maximum rate, fixes those rates, and
// continues with the others.
std::map<std::size_t, double> fair_rates(const std::vector<Sent>& sent,
                                         const std::vector<std::size_t>& moving,
                                         const std::vector<double>& capacity) {
  std::map<std::size_t, double> rates;
  std::vector<double> left = capacity;
  while (rates.size() < moving.size()) {
    std::vector<double> weight(capacity.size());
    double rise = INFINITY;
    for (const std::size_t m : moving)
      for (std::uint32_t i = 0; !rates.contains(m) && i < sent[m].route.links; ++i)
        weight[sent[m].route.port[i].link] += sent[m].route.port[i].weight;
    for (std::size_t l = 0; l < capacity.size(); ++l)
      if (weight[l] > 0) rise = std::min(rise, left[l] / weight[l]);
    for (const std::size_t m : moving)
      if (!rates.contains(m)) rise = std::min(rise, sent[m].route.most_rate);
    std::vector<std::size_t> fixed;
    for (const std::size_t m : moving) {
      const Route& route = sent[m].route;
      bool full = route.most_rate <= rise * (1 + 1e-12);
      for (std::uint32_t i = 0; i < route.links; ++i)
        full |= left[route.port[i].link] <= rise * weight[route.port[i].link] * (1 + 1e-12);
      if (full && !rates.contains(m)) fixed.push_back(m);
    }
    for (const std::size_t m : fixed) {
      rates[m] = rise;
      for (std::uint32_t i = 0; i < sent[m].route.links; ++i)
        left[sent[m].route.port[i].link] -= rise * sent[m].route.port[i].weight;
    }
  }
  return rates;
}

std::vector<std::int64_t> defined_ends(const std::vector<Sent>& sent, const std::vector<double>& capacity) {
  std::vector<std::int64_t> ends(sent.size(), SharedLinks::kNever);
  std::vector<double> left;
  for (const Sent& message : sent) left.push_back(message.bytes * message.route.ns_per_byte);
  std::vector<std::size_t> moving;
  std::size_t started = 0;
  std::int64_t now = 0;
  while (started < sent.size() || !moving.empty()) {
    while (started < sent.size() && sent[started].start == now) moving.push_back(started++);
    const std::map<std::size_t, double> rates = fair_rates(sent, moving, capacity);
    std::int64_t next = started < sent.size() ? sent[started].start : SharedLinks::kNever;
    for (const std::size_t m : moving) {
      ends[m] = now + std::llround(left[m] * sent[m].route.most_rate / rates.at(m));
      next = std::min(next, ends[m]);
    }
    for (const std::size_t m : moving)
      left[m] -= static_cast<double>(next - now) * rates.at(m) / sent[m].route.most_rate;
    std::erase_if(moving, [&](std::size_t m) { return ends[m] == next; });
    now = next;
  }
  return ends;
}

std::vector<std::int64_t> ends_at_ports(const std::vector<Sent>& sent, const std::vector<double>& capacity) {
  std::vector<std::int64_t> ends(sent.size());
  SharedLinks links(capacity);
  std::size_t started = 0;
  for (;;) {
    const std::int64_t start = started < sent.size() ? sent[started].start : SharedLinks::kNever;
    const std::int64_t now = std::min(start, links.next_end());
    if (now == SharedLinks::kNever) return ends;
    while (links.next_end() == now) ends[links.finish_next()] = now;
    for (; started < sent.size() && sent[started].start == now; ++started)
      links.start(static_cast<std::uint32_t>(started), sent[started].route, sent[started].bytes, now);
    links.settle(now);
  }
}

// Nodes with a slow port to the outside and cores with a fast one: messages within a node sometimes fill
// ports of cores that messages between nodes use as well.
class RandomMessages {
 public:
  explicit RandomMessages(unsigned seed, double opposite) : random_(seed), opposite_(opposite) {
    for (std::uint32_t node = 0; node < kNodes; ++node) capacity_.insert(capacity_.end(), 2, 0.125);
    for (std::uint32_t core = 0; core < kNodes * kCores; ++core)
      capacity_.insert(capacity_.end(), 2, core % 3 == 0 ? 0.3 : 4.0);
    for (std::int64_t now = 0; sent_.size() < 300;) {
      now += below(3) == 0 ? below(4000) : 0;
      sent_.push_back({now, 1.0 + below(3000), route()});
    }
  }
  const std::vector<Sent>& sent() const { return sent_; }
  const std::vector<double>& capacity() const { return capacity_; }

 private:
  static constexpr std::uint32_t kNodes = 4, kCores = 4;

  std::uint32_t below(std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(0, most - 1)(random_);
  }
  void pass(Route& route, std::uint32_t port, bool outwards) const {
    route.port[route.links++] = {2 * port + (outwards ? 0 : 1), 1};
    if (opposite_ == 0) return;
    route.port[route.links++] = {2 * port + (outwards ? 1 : 0), opposite_};
  }
  Route route() {
    const std::uint32_t from = below(kNodes * kCores);
    const std::uint32_t to = (from + 1 + below(kNodes * kCores - 1)) % (kNodes * kCores);
    const bool inside = from / kCores == to / kCores;
    Route route;
    route.ns_per_byte = (inside ? 0.5 : 8.0) + below(3);
    route.most_rate = inside ? 4 : 0.125;
    if (from / kCores != to / kCores) {
      pass(route, from / kCores, true);
      pass(route, to / kCores, false);
    }
    pass(route, kNodes + from, true);
    pass(route, kNodes + to, false);
    return route;
  }

  std::mt19937 random_;
  double opposite_;
  std::vector<double> capacity_;
  std::vector<Sent> sent_;
};

TEST(SharedLinks, RatesAreMaxMinFairWhateverHappens) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const RandomMessages messages(seed, seed % 2 == 0 ? 0 : 0.05);
    const std::vector<std::int64_t> is = ends_at_ports(messages.sent(), messages.capacity());
    std::vector<double> capacity = messages.capacity();
    for (double& rate : capacity) rate *= 1 + SharedLinks::kSame;
    ASSERT_EQ(is, defined_ends(messages.sent(), capacity)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace waitdiag
