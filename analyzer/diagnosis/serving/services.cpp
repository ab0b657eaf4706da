// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/serving/services.hpp"

#include <algorithm>
#include <utility>

#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/polling.hpp"

namespace waitdiag {
namespace {

// What one location does with messages, by call.
class ServicesOfLocation {
 public:
  ServicesOfLocation(const Trace& trace, const SyncPoints& sync, Location location)
      : trace_(trace), location_(location), timeline_(trace.timeline(location)) {
    if (!serves(sync)) return;
    fixed_.assign(timeline_.size(), false);
    peers_.resize(timeline_.size());
    got_.resize(timeline_.size());
    for (const CollectivePart& part : timeline_.collectives()) {
      fix(part.op);
      fix(part.completed);
    }
    for (const RmaRecord& record : timeline_.rma()) fix(record.op);
    for (const Message& message : sync.received_by(location)) add_received(message);
    for (const MessageEnd& end : timeline_.sends())
      if (end.posted != kNoOp) peers_[end.posted].push_back(end.peer);
  }

  std::vector<Services> find() {
    std::vector<Services> all;
    Services now{.server = location_, .in_order = {}};
    const auto close = [&](std::uint32_t end) {
      if (!now.in_order.empty()) now.in_order.back().last = end;
      if (is_of_several(now.in_order)) all.push_back(now);
      now.in_order.clear();
    };
    for (std::uint32_t op = 0; op < got_.size(); ++op) {
      if (is_fixed(op)) {
        close(op);
      } else if (is_choice(op)) {
        const std::uint32_t first =
            first_poll(op, now.in_order.empty() ? 0 : now.in_order.back().receives + 1);
        if (!now.in_order.empty()) now.in_order.back().last = first;
        op = add_services(first, op, now.in_order);
      } else if (!now.in_order.empty() && !goes_on(op, now.in_order)) {
        close(op);
      }
    }
    close(static_cast<std::uint32_t>(got_.size()));
    return all;
  }

 private:
  struct Got {
    Location client{};
    OpRef sent;
    Rank rank = kNoRank;
    bool any_source = false;
  };

  // Most locations never choose.
  bool serves(const SyncPoints& sync) const {
    const auto chooses = [&](std::uint32_t op) {
      return completes_one_of_many(trace_.kind({location_, op}));
    };
    for (const Message& message : sync.received_by(location_)) {
      const MessageEnd end = timeline_.receives()[message.receive];
      if (end.any_source || chooses(end.completed) || comes_after_probe(end.posted)) return true;
    }
    return false;
  }
  static bool completes_one_of_many(CallKind kind) {
    using enum CallKind;
    return kind == Waitany || kind == Waitsome || kind == Testany || kind == Testsome;
  }
  static bool is_probe(CallKind kind) { return kind == CallKind::Probe || kind == CallKind::Iprobe; }
  bool comes_after_probe(std::uint32_t op) const {
    return op != kNoOp && op > 0 && is_probe(trace_.kind({location_, op - 1}));
  }

  void add_received(const Message& message) {
    const MessageEnd end = timeline_.receives()[message.receive], sent = send_end(trace_, message);
    if (end.completed == kNoOp || sent.posted == kNoOp) return;
    const bool chosen = end.any_source || (end.posted == end.completed && comes_after_probe(end.posted));
    got_[end.completed].push_back({message.sender, {message.sender, sent.posted}, end.peer, chosen});
    if (end.posted != end.completed && !end.any_source && end.posted != kNoOp)
      peers_[end.posted].push_back(end.peer);
  }
  void fix(std::uint32_t op) {
    if (op < fixed_.size()) fixed_[op] = true;
  }
  bool is_fixed(std::uint32_t op) const {
    if (fixed_[op]) return true;
    switch (trace_.kind({location_, op})) {
      case CallKind::Init:
      case CallKind::Finalize:
      case CallKind::CommConstruct:
      case CallKind::FileCall:
      case CallKind::ThreadBarrier:
      case CallKind::ThreadSync:
      case CallKind::WinCollective:
      case CallKind::Artificial:
        return true;
      default:
        return false;
    }
  }

  // Not a call that sends, too: its own message does not wait for the one that it gets.
  bool is_choice(std::uint32_t op) const {
    if (got_[op].empty() || !peers_[op].empty()) return false;
    const bool of_many = completes_one_of_many(trace_.kind({location_, op}));
    const auto is_from = [&](const Got& got) {
      return got.client != location_ && (of_many || got.any_source);
    };
    return std::ranges::all_of(got_[op], is_from);
  }
  // The first of the calls before `op` that asked whether something had come, but not one before `least`.
  std::uint32_t first_poll(std::uint32_t op, std::uint32_t least) const {
    const auto asks = [&](std::uint32_t before) {
      const CallKind kind = trace_.kind({location_, before});
      return (is_poll(kind) || kind == CallKind::Probe) && got_[before].empty() && !fixed_[before];
    };
    while (op > least && asks(op - 1)) --op;
    return op;
  }

  // Messages that one call got are served one after the other, if what follows says where each begins. Returns where
  // the last one of them begins.
  std::uint32_t add_services(std::uint32_t first, std::uint32_t op, std::vector<Service>& services) const {
    std::vector<Service> one_by_one = served_one_by_one(first, op);
    if (one_by_one.empty()) {
      Service service{.first = first, .last = op + 1, .receives = op};
      for (const Got& got : got_[op]) add_message(got, service);
      services.push_back(std::move(service));
      return op;
    }
    services.insert(services.end(), one_by_one.begin(), one_by_one.end());
    return services.back().receives;
  }
  static void add_message(const Got& got, Service& service) {
    if (std::ranges::find(service.clients, got.client) == service.clients.end())
      service.clients.push_back(got.client);
    service.needs.push_back(got.sent);
  }
  // Empty: it is not known, or there is only one client.
  std::vector<Service> served_one_by_one(std::uint32_t first, std::uint32_t op) const {
    std::vector<Service> services;
    const auto is_client_of = [](const Service& service) {
      return [&service](const Got& got) { return service.clients.front() == got.client; };
    };
    const auto got_from = [&](Rank rank) {
      return std::ranges::find(got_[op], rank, [](const Got& got) { return got.rank; });
    };
    for (std::uint32_t next = op + 1; next < got_.size() && !is_fixed(next) && got_[next].empty(); ++next) {
      if (peers_[next].empty()) continue;
      const auto got = got_from(peers_[next].front());
      if (peers_[next].size() > 1 || got == got_[op].end()) break;
      if (!services.empty() && is_client_of(services.back())(*got)) continue;
      if (std::ranges::any_of(services, [&](const Service& one) { return is_client_of(one)(*got); }))
        return {};
      const bool is_first = services.empty();
      if (!is_first) services.back().last = next;
      Service service{.first = is_first ? first : next,
                      .last = next + 1,
                      .receives = is_first ? op : next,
                      .one_of_several = true};
      for (const Got& of_client : got_[op])
        if (of_client.client == got->client) add_message(of_client, service);
      services.push_back(std::move(service));
    }
    std::size_t messages = 0;
    for (const Service& service : services) messages += service.needs.size();
    return services.size() > 1 && messages == got_[op].size() ? services : std::vector<Service>();
  }

  // Nothing but what concerns the clients of this service.
  bool goes_on(std::uint32_t op, std::vector<Service>& services) const {
    const std::vector<Location>& clients = services.back().clients;
    const auto is_client = [&](Location location) {
      return std::ranges::any_of(
          clients, [&](Location client) { return trace_.rank(client) == trace_.rank(location); });
    };
    return std::ranges::all_of(got_[op], [&](const Got& got) { return is_client(got.client); }) &&
           std::ranges::all_of(peers_[op], [&](Rank peer) { return is_client(trace_.main_location(peer)); });
  }

  static bool is_of_several(const std::vector<Service>& services) {
    return std::ranges::any_of(
        services, [&](const Service& service) { return service.clients != services.front().clients; });
  }

  const Trace& trace_;
  Location location_;
  const Timeline& timeline_;
  std::vector<bool> fixed_;               // by call
  std::vector<std::vector<Rank>> peers_;  // by call: of messages that it sends or gets ready for
  std::vector<std::vector<Got>> got_;     // by call: messages that it completed
};

}  // namespace

std::vector<std::vector<Services>> find_services(const Trace& trace, const SyncPoints& sync) {
  std::vector<std::vector<Services>> services(trace.timelines().size());
  for_each_index(services.size(), [&](std::size_t l) {
    services[l] = ServicesOfLocation(trace, sync, Location(static_cast<std::uint32_t>(l))).find();
  });
  return services;
}

}  // namespace waitdiag
