// The services of one server that are yet to come: which may come next, in the order in which messages come.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "analyzer/diagnosis/serving/services.hpp"

namespace waitdiag {

class ServiceQueue {
 public:
  explicit ServiceQueue(const Services& of) : services_(&of), left_(of.in_order.size()) {
    for (std::uint32_t i = 0; i < of.in_order.size(); ++i) {
      missing_.push_back(static_cast<std::uint32_t>(of.in_order[i].needs.size()));
      for (const Location client : of.in_order[i].clients) turns_[client].services.push_back(i);
    }
  }

  const Services& services() const { return *services_; }
  bool done() const { return left_ == 0; }
  // Of those whose messages are all there, the one that was recorded first.
  std::optional<std::uint32_t> first_ready() const {
    return ready_.empty() ? std::nullopt : std::optional(*ready_.begin());
  }

  // One of its messages came.
  void came(std::uint32_t service) {
    if (--missing_[service] == 0 && is_next(service)) ready_.insert(service);
  }
  const Service& take(std::uint32_t service) {
    ready_.erase(service);
    --left_;
    const Service& taken = services_->in_order[service];
    for (const Location client : taken.clients) ++turns_[client].served;
    for (const Location client : taken.clients) {
      const ByClient& turns = turns_[client];
      if (turns.served == turns.services.size()) continue;
      const std::uint32_t next = turns.services[turns.served];
      if (missing_[next] == 0 && is_next(next)) ready_.insert(next);
    }
    return taken;
  }

 private:
  struct ByClient {
    std::vector<std::uint32_t> services{};  // of a client, in its order
    std::size_t served = 0;
  };
  // None of its clients has to be served before.
  bool is_next(std::uint32_t service) const {
    return std::ranges::all_of(services_->in_order[service].clients, [&](Location client) {
      const ByClient& turns = turns_.at(client);
      return turns.services[turns.served] == service;
    });
  }

  const Services* services_;
  std::unordered_map<Location, ByClient> turns_{};
  std::vector<std::uint32_t> missing_{};  // messages, by service
  std::set<std::uint32_t> ready_{};
  std::size_t left_;
};

}  // namespace waitdiag
