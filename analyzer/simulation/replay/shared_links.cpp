// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/shared_links.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "analyzer/simulation/replay/simulated_time.hpp"

namespace waitdiag {
namespace {

constexpr double kEnough = std::numeric_limits<double>::infinity();
constexpr double kNoConcern = -1;
constexpr std::uint32_t kNoPlace = UINT32_MAX;

}  // namespace

SharedLinks::SharedLinks(const std::vector<double>& capacity)
    : links_(capacity.size()), level_(capacity.size(), kEnough), concern_(capacity.size(), kNoConcern) {
  for (std::size_t l = 0; l < capacity.size(); ++l) {
    links_[l].capacity = capacity[l] * (1 + kSame);
    links_[l].lowest = kEnough;
  }
}

void SharedLinks::enqueue(std::uint32_t l) {
  if (links_[l].queued || concern_[l] == kNoConcern) return;
  links_[l].queued = true;
  queue_.push_back(l);
}

void SharedLinks::want(std::uint32_t l, double more) {
  Link& link = links_[l];
  link.wanted = link.entries.empty() ? 0 : link.wanted + more;
  find_concern(l);
  enqueue(l);
}

void SharedLinks::find_concern(std::uint32_t l) {
  const bool plenty = links_[l].wanted <= links_[l].capacity && level_[l] == kEnough;
  concern_[l] = plenty ? kNoConcern : level_[l];
}

void SharedLinks::touch(std::uint32_t b) {
  if (!bundles_[b].touched) touched_.push_back(b);
  bundles_[b].touched = true;
}

std::uint32_t SharedLinks::new_flow(std::uint32_t owner, const Route& route) {
  if (route.links > stride_) {
    std::vector<Port> wider(flows_.size() * route.links);
    for (std::size_t flow = 0; flow < flows_.size(); ++flow)
      std::copy_n(&ports_[flow * stride_], flows_[flow].links, &wider[flow * route.links]);
    ports_ = std::move(wider);
    stride_ = route.links;
  }
  std::uint32_t flow = static_cast<std::uint32_t>(flows_.size());
  if (free_flows_.empty()) {
    flows_.emplace_back();
    ports_.resize(flows_.size() * stride_);
  } else {
    flow = free_flows_.back();
    free_flows_.pop_back();
  }
  flows_[flow] = {owner, route.links, route.most_rate};
  std::ranges::copy(route.ports(), &ports_[flow * stride_]);
  return flow;
}

void SharedLinks::start(std::uint32_t owner, const Route& route, double bytes, std::int64_t now) {
  const bool alone = is_alone(route);
  const std::uint32_t flow = new_flow(owner, route);
  if (alone) {
    start_alone(flow, bytes * route.ns_per_byte, now);
    return;
  }
  for (const Port& port : route.ports())
    if (links_[port.link].lone != kNone) meet(links_[port.link].lone, now);
  start(flow, bytes * route.ns_per_byte, now);
}

// `ns`: that it moves if nothing holds it back.
void SharedLinks::start(std::uint32_t flow, double ns, std::int64_t now) {
  const double most_rate = flows_[flow].most_rate;
  const std::uint32_t b = bundle_of(ports(flow), most_rate, now);
  advance(bundles_[b], now);
  join(b, {bundles_[b].clock + ns, flow});
  for (const Port& port : ports(flow)) want(port.link, port.weight * most_rate);
}

bool SharedLinks::is_alone(const Route& route) const {
  return std::ranges::all_of(route.ports(), [&](const Port& port) {
    const Link& link = links_[port.link];
    return link.entries.empty() && link.lone == kNone && port.weight * route.most_rate <= link.capacity;
  });
}

void SharedLinks::start_alone(std::uint32_t flow, double ns, std::int64_t now) {
  const std::uint32_t b = new_bundle();
  Bundle& bundle = bundles_[b];
  bundle.lone = flow;
  bundle.clock = ns;
  bundle.since = now;
  for (const Port& port : ports(flow)) links_[port.link].lone = b;
  ends_.set(b, time_after(now, ns));
}

void SharedLinks::end_alone(std::uint32_t b) {
  for (const Port& port : ports(bundles_[b].lone)) links_[port.link].lone = kNone;
  ends_.set(b, kNever);
  free_bundles_.push_back(b);
}

// It is no longer alone at its ports.
void SharedLinks::meet(std::uint32_t b, std::int64_t now) {
  const std::uint32_t flow = bundles_[b].lone;
  const double left = bundles_[b].clock - static_cast<double>(now - bundles_[b].since);
  end_alone(b);
  start(flow, left, now);
}

std::uint32_t SharedLinks::finish_next() {
  const std::int64_t now = ends_.time();
  const auto b = static_cast<std::uint32_t>(ends_.number());
  if (const std::uint32_t lone = bundles_[b].lone; lone != kNone) {
    end_alone(b);
    free_flows_.push_back(lone);
    return flows_[lone].owner;
  }
  std::vector<Arrival>& arrivals = bundles_[b].arrivals;
  const std::uint32_t id = arrivals.front().flow;
  std::pop_heap(arrivals.begin(), arrivals.end());
  arrivals.pop_back();
  leave(b, ports(id));
  for (const Port& port : ports(id)) want(port.link, -port.weight * flows_[id].most_rate);
  reschedule(b, now);
  free_flows_.push_back(id);
  return flows_[id].owner;
}

std::uint32_t SharedLinks::fingerprint_of(std::span<const Port> key, double most_rate) {
  std::uint64_t fingerprint = std::bit_cast<std::uint64_t>(most_rate);
  for (const Port& port : key)
    fingerprint = (fingerprint ^ port.link ^ std::rotl(std::bit_cast<std::uint64_t>(port.weight), 7)) *
                  0x9e3779b97f4a7c15U;
  return static_cast<std::uint32_t>(fingerprint >> 32);
}

// The bundle of a message through these ports. Where none of them ever held back such a message, the first port
// represents the others.
std::uint32_t SharedLinks::bundle_of(std::span<const Port> ports, double most_rate, std::int64_t now) {
  key_.clear();
  const std::vector<Entry>* among = nullptr;
  for (const Port& port : ports) {
    const Link& link = links_[port.link];
    if (link.lowest >= most_rate) continue;
    key_.push_back(port);
    if (among == nullptr || link.entries.size() < among->size()) among = &link.entries;
  }
  if (among == nullptr) {
    key_.push_back(ports.front());
    among = &links_[ports.front().link].entries;
  }
  const std::uint32_t fingerprint = fingerprint_of(key_, most_rate);
  for (const Entry& entry : *among)
    if (entry.fingerprint == fingerprint && bundles_[entry.bundle].most == most_rate &&
        bundles_[entry.bundle].key == key_)
      return entry.bundle;
  const std::uint32_t b = new_bundle();
  Bundle& bundle = bundles_[b];
  bundle.key = key_;
  bundle.fingerprint = fingerprint;
  bundle.most = bundle.rate = most_rate;
  bundle.lone = kNone;
  bundle.clock = 0;
  bundle.since = now;
  find_lowest(bundle);
  return b;
}

std::uint32_t SharedLinks::new_bundle() {
  if (free_bundles_.empty()) {
    bundles_.emplace_back();
    return static_cast<std::uint32_t>(bundles_.size() - 1);
  }
  const std::uint32_t b = free_bundles_.back();
  free_bundles_.pop_back();
  return b;
}

// Of the entry of a bundle that passes this port.
std::uint32_t SharedLinks::place_of(std::uint32_t b, const Port& port) const {
  const std::vector<Entry>& entries = links_[port.link].entries;
  const std::vector<Pass>& passes = bundles_[b].passes;
  if (passes.size() < entries.size()) {
    for (const Pass& pass : passes)
      if (pass.link == port.link && entries[pass.place].weight == port.weight) return pass.place;
    return kNoPlace;
  }
  for (std::uint32_t place = 0; place < entries.size(); ++place)
    if (entries[place].bundle == b && entries[place].weight == port.weight) return place;
  return kNoPlace;
}

void SharedLinks::join(std::uint32_t b, Arrival arrival) {
  Bundle& bundle = bundles_[b];
  for (const Port& port : ports(arrival.flow)) {
    std::vector<Entry>& entries = links_[port.link].entries;
    std::uint32_t place = place_of(b, port);
    if (place == kNoPlace) {
      place = static_cast<std::uint32_t>(entries.size());
      bundle.passes.push_back({port.link, place});
      const bool in_key = std::ranges::find(bundle.key, port.link, &Port::link) != bundle.key.end();
      entries.push_back({b, static_cast<std::uint32_t>(bundle.passes.size() - 1), 0, in_key,
                         bundle.fingerprint, port.weight});
    }
    ++entries[place].count;
  }
  bundle.arrivals.push_back(arrival);
  std::push_heap(bundle.arrivals.begin(), bundle.arrivals.end());
  bundle.joined = true;
  touch(b);
}

void SharedLinks::leave(std::uint32_t b, std::span<const Port> ports) {
  Bundle& bundle = bundles_[b];
  for (const Port& port : ports) {
    std::vector<Entry>& entries = links_[port.link].entries;
    const std::uint32_t place = place_of(b, port);
    Entry& entry = entries[place];
    if (--entry.count > 0) continue;
    const Pass last_pass = bundle.passes.back();
    bundle.passes[entry.pass] = last_pass;
    links_[last_pass.link].entries[last_pass.place].pass = entry.pass;
    bundle.passes.pop_back();
    const Entry last = entries.back();
    if (place + 1 != entries.size()) bundles_[last.bundle].passes[last.pass].place = place;
    entry = last;
    entries.pop_back();
  }
  if (!bundle.passes.empty()) return;
  bundle.touched = false;
  free_bundles_.push_back(b);
}

// From now on this port may hold back messages that it only passed on before. This is rare: a level becomes
// the lowest so far only a few times.
void SharedLinks::hold_back(std::uint32_t l, std::int64_t now) {
  links_[l].lowest = level_[l];
  std::vector<std::uint32_t> concerned;
  for (const Entry& entry : links_[l].entries) {
    const std::vector<Port>& key = bundles_[entry.bundle].key;
    if (bundles_[entry.bundle].most > level_[l] &&
        std::find(key.begin(), key.end(), Port{l, entry.weight}) == key.end())
      concerned.push_back(entry.bundle);
  }
  std::sort(concerned.begin(), concerned.end());
  concerned.erase(std::unique(concerned.begin(), concerned.end()), concerned.end());
  for (const std::uint32_t b : concerned) {
    advance(bundles_[b], now);
    const double clock = bundles_[b].clock;
    std::vector<Arrival>& arrivals = bundles_[b].arrivals;
    const auto first = std::stable_partition(arrivals.begin(), arrivals.end(), [&](const Arrival& arrival) {
      const std::span<const Port> passed = ports(arrival.flow);
      return std::ranges::find(passed, l, &Port::link) == passed.end();
    });
    const std::vector<Arrival> moved(first, arrivals.end());
    arrivals.erase(first, arrivals.end());
    std::make_heap(arrivals.begin(), arrivals.end());
    reschedule(b, now);
    for (const Arrival& arrival : moved) leave(b, ports(arrival.flow));
    for (const Arrival& arrival : moved) {
      const std::uint32_t to = bundle_of(ports(arrival.flow), flows_[arrival.flow].most_rate, now);
      advance(bundles_[to], now);
      join(to, {bundles_[to].clock + arrival.clock - clock, arrival.flow});
    }
  }
}

// For each entry: the rate that its bundle could get without this port.
void SharedLinks::find_limits(std::uint32_t l) {
  const std::vector<Entry>& entries = links_[l].entries;
  limits_.resize(entries.size());
  weights_ = 0;
  least_ = kEnough;
  for (std::size_t place = 0; place < entries.size(); ++place) {
    const Entry& entry = entries[place];
    const Limit limit{limit_elsewhere(bundles_[entry.bundle], l),
                      entry.weight * static_cast<double>(entry.count)};
    limits_[place] = limit;
    weights_ += limit.weight;
    least_ = std::min(least_, limit.rate);
  }
}

// The water level: bundles that can take less than an equal share take that, the others share the rest.
double SharedLinks::new_level(std::uint32_t l) {
  const Link& link = links_[l];
  if (link.wanted <= link.capacity) return kEnough;
  double level = link.capacity / weights_;
  if (least_ > level * (1 + kSame)) return level;
  for (;;) {
    double rest = link.capacity, sharing = 0;  // sharing: weight of those that are not held back elsewhere
    for (const Limit& limit : limits_) {
      const bool less = limit.rate <= level * (1 + kSame);
      rest -= less ? limit.weight * limit.rate : 0;
      sharing += less ? 0 : limit.weight;
    }
    if (sharing == 0) return kEnough;
    const double next = std::max(0.0, rest) / sharing;
    if (next <= level * (1 + kSame)) return next;
    level = next;
  }
}

// The change can affect only ports with a level above the old or the new one.
void SharedLinks::relax(std::uint32_t l, std::int64_t now) {
  find_limits(l);
  const double before = level_[l], level = new_level(l);
  if (before == level || std::abs(before - level) <= kSame * std::min(before, level)) return;
  level_[l] = level;
  for (const Entry& entry : links_[l].entries)
    if (entry.in_key) change_lowest(bundles_[entry.bundle], l, before);
  find_concern(l);
  if (level < links_[l].lowest) {
    hold_back(l, now);
    find_limits(l);
  }
  const double lower = std::min(before, level);
  for (std::size_t place = 0; place < limits_.size(); ++place) {
    if (limits_[place].rate < lower) continue;
    const std::uint32_t b = links_[l].entries[place].bundle;
    touch(b);
    for (const Pass& pass : bundles_[b].passes)
      if (pass.link != l && concern_[pass.link] >= lower) enqueue(pass.link);
  }
}

void SharedLinks::settle(std::int64_t now) {
  // Rates settle after a few visits to each port nearby; the bound prevents rounding from causing an endless
  // loop.
  const std::size_t most = 1000 + 100 * links_.size();
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    links_[queue_[next]].queued = false;
    if (next < most) relax(queue_[next], now);
  }
  queue_.clear();
  for (const std::uint32_t b : touched_) {
    Bundle& bundle = bundles_[b];
    if (!bundle.touched) continue;  // it has ended
    bundle.touched = false;
    const double rate = bundle.lowest;
    if (bundle.rate == rate && !bundle.joined) continue;
    bundle.joined = false;
    advance(bundle, now);
    bundle.rate = rate;
    reschedule(b, now);
  }
  touched_.clear();
}

void SharedLinks::advance(Bundle& bundle, std::int64_t now) {
  bundle.clock += static_cast<double>(now - bundle.since) * bundle.rate / bundle.most;
  bundle.since = now;
}

void SharedLinks::reschedule(std::uint32_t b, std::int64_t now) {
  const Bundle& bundle = bundles_[b];
  if (bundle.arrivals.empty()) {
    ends_.set(b, kNever);
    return;
  }
  const double left = std::max(0.0, bundle.arrivals.front().clock - bundle.clock);
  ends_.set(b, std::max(now, time_after(bundle.since, left * bundle.most / bundle.rate)));
}

}  // namespace waitdiag
