// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replay/shared_links.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace waitdiag {
namespace {

constexpr double kEnough = std::numeric_limits<double>::infinity();
constexpr double kSame = 1e-9;  // relative: levels that differ by less are one
constexpr std::uint32_t kNoLink = UINT32_MAX;

}  // namespace

SharedLinks::SharedLinks(const std::vector<double>& capacity) : links_(capacity.size()) {
  for (std::size_t l = 0; l < capacity.size(); ++l) {
    links_[l].capacity = capacity[l] * (1 + kSame);
    links_[l].level = kEnough;
  }
}

void SharedLinks::enqueue(std::uint32_t l) {
  Link& link = links_[l];
  if (link.queued || (link.wanted <= link.capacity && link.level == kEnough)) return;
  link.queued = true;
  queue_.push_back(l);
}

void SharedLinks::start(std::uint32_t owner, const Route& route, double bytes, std::int64_t now) {
  std::uint32_t id = static_cast<std::uint32_t>(flows_.size());
  if (free_flows_.empty()) {
    flows_.emplace_back();
  } else {
    id = free_flows_.back();
    free_flows_.pop_back();
  }
  Flow& flow = flows_[id];
  flow.owner = owner;
  flow.links = route.links;
  std::copy_n(route.link.begin(), flow.links, flow.link.begin());
  std::copy_n(route.weight.begin(), flow.links, flow.weight.begin());
  flow.left = bytes * route.ns_per_byte;
  flow.most = flow.rate = route.most_rate;
  flow.since = now;
  flow.touched = true;
  touched_.push_back(id);
  for (std::uint32_t i = 0; i < flow.links; ++i) {
    Link& link = links_[flow.link[i]];
    flow.place[i] = static_cast<std::uint32_t>(link.flows.size());
    link.flows.push_back({id, flow.weight[i]});
    link.wanted += flow.weight[i] * flow.most;
    enqueue(flow.link[i]);
  }
  heap_.push_back(id);
  flow.heap_place = static_cast<std::uint32_t>(heap_.size() - 1);
  flow.end = kNever;
  reschedule(id, now);
}

std::uint32_t SharedLinks::finish_next() {
  const std::uint32_t id = heap_.front();
  Flow& flow = flows_[id];
  flow.touched = false;
  for (std::uint32_t i = 0; i < flow.links; ++i) {
    Link& link = links_[flow.link[i]];
    const Link::Entry last = link.flows.back();
    link.flows[flow.place[i]] = last;
    Flow& moved = flows_[last.flow];
    for (std::uint32_t k = 0; k < moved.links; ++k)
      if (moved.link[k] == flow.link[i]) moved.place[k] = flow.place[i];
    link.flows.pop_back();
    link.wanted = link.flows.empty() ? 0 : link.wanted - flow.weight[i] * flow.most;
    enqueue(flow.link[i]);
  }
  put(0, heap_.back());
  heap_.pop_back();
  if (!heap_.empty()) sift_down(0);
  free_flows_.push_back(id);
  return flow.owner;
}

double SharedLinks::limit_elsewhere(const Flow& flow, std::uint32_t here) const {
  double limit = flow.most;
  for (std::uint32_t i = 0; i < flow.links; ++i)
    if (flow.link[i] != here) limit = std::min(limit, links_[flow.link[i]].level);
  return limit;
}

// The water level: who can take less than an equal share takes that, the others share the rest.
double SharedLinks::new_level(std::uint32_t l) {
  const Link& link = links_[l];
  if (link.wanted <= link.capacity) return kEnough;
  limits_.clear();
  double sharing = 0;  // weight of those that are not held back elsewhere
  for (const Link::Entry& entry : link.flows) {
    limits_.push_back({limit_elsewhere(flows_[entry.flow], l), entry.weight});
    sharing += entry.weight;
  }
  std::sort(limits_.begin(), limits_.end(), [](const Limit& a, const Limit& b) { return a.rate < b.rate; });
  double rest = link.capacity;
  for (const Limit& limit : limits_) {
    if (limit.rate * sharing > rest * (1 + kSame)) return rest / sharing;
    rest = std::max(0.0, rest - limit.weight * limit.rate);
    sharing -= limit.weight;
  }
  return kEnough;
}

// Only ports with a level above the old or the new one can feel the change.
void SharedLinks::relax(std::uint32_t l) {
  const double before = links_[l].level, now = new_level(l);
  if (before == now || std::abs(before - now) <= kSame * std::min(before, now)) return;
  links_[l].level = now;
  const double lower = std::min(before, now);
  for (const Link::Entry& entry : links_[l].flows) {
    const std::uint32_t f = entry.flow;
    Flow& flow = flows_[f];
    if (limit_elsewhere(flow, l) < lower) continue;
    if (!flow.touched) touched_.push_back(f);
    flow.touched = true;
    for (std::uint32_t i = 0; i < flow.links; ++i)
      if (flow.link[i] != l && links_[flow.link[i]].level >= lower) enqueue(flow.link[i]);
  }
}

void SharedLinks::settle(std::int64_t now) {
  // Settled after a few looks at each port near by; the bound is there so that rounding can never go in
  // circles.
  const std::size_t most = 1000 + 100 * links_.size();
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    links_[queue_[next]].queued = false;
    if (next < most) relax(queue_[next]);
  }
  queue_.clear();
  for (const std::uint32_t f : touched_) {
    Flow& flow = flows_[f];
    if (!flow.touched) continue;  // it has ended
    flow.touched = false;
    const double rate = limit_elsewhere(flow, kNoLink);
    if (flow.rate == rate) continue;
    flow.left = std::max(0.0, flow.left - static_cast<double>(now - flow.since) * flow.rate / flow.most);
    flow.since = now;
    flow.rate = rate;
    reschedule(f, now);
  }
  touched_.clear();
}

void SharedLinks::reschedule(std::uint32_t id, std::int64_t now) {
  Flow& flow = flows_[id];
  flow.end = std::max<std::int64_t>(now, flow.since + std::llround(flow.left * flow.most / flow.rate));
  sift_up(flow.heap_place);
  sift_down(flow.heap_place);
}

void SharedLinks::put(std::size_t place, std::uint32_t id) {
  heap_[place] = id;
  flows_[id].heap_place = static_cast<std::uint32_t>(place);
}

void SharedLinks::sift_up(std::size_t place) {
  const std::uint32_t id = heap_[place];
  for (; place > 0 && flows_[heap_[(place - 1) / 2]].end > flows_[id].end; place = (place - 1) / 2)
    put(place, heap_[(place - 1) / 2]);
  put(place, id);
}

void SharedLinks::sift_down(std::size_t place) {
  const std::uint32_t id = heap_[place];
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && flows_[heap_[child + 1]].end < flows_[heap_[child]].end) ++child;
    if (flows_[heap_[child]].end >= flows_[id].end) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, id);
}

}  // namespace waitdiag
