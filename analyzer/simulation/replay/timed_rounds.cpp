// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/timed_rounds.hpp"

#include <algorithm>

#include "analyzer/simulation/replay/collective_runs.hpp"
#include "analyzer/simulation/replay/simulated_time.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kMostOfARound = 64;  // messages of a member

}  // namespace

TimedRounds::TimedRounds(const Machine& machine, const Routes& routes, std::span<const std::uint32_t> ranks,
                         std::vector<std::int64_t> begin)
    : machine_(machine),
      routes_(routes),
      ranks_(ranks),
      now_(std::move(begin)),
      busy_(now_.size()),
      delay_(now_.size()),
      wanted_(routes_.capacity().size()) {}

void TimedRounds::find_costs(Sent& sent) {
  const Routes::Cost cost = routes_.cost(ranks_[sent.from], ranks_[sent.to], sent.bytes);
  const auto bytes = static_cast<double>(sent.bytes + machine_.envelope_bytes);
  sent.shared = cost.shared && bytes > 0;
  sent.latency_ns = cost.latency_ns + (sent.shared ? 0 : cost.ns_per_byte * bytes);
  sent.transfer_ns = sent.shared ? cost.ns_per_byte * bytes : 0;
  sent.isend = isend_overhead(machine_, sent.bytes);
  sent.receive = receive_overhead(machine_, sent.bytes);
  sent.needs_receiver = sent.bytes > machine_.detached_bytes;
  sent.needs_receive = sent.bytes > machine_.eager_bytes || !machine_.eager;
  least_latency_ns_ = std::min(least_latency_ns_, sent.latency_ns);
}

void TimedRounds::message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  if (from == to) return;
  ++messages_;
  bounded_ = bounded_ && sent_ < kMostOfARound * now_.size();
  if (!bounded_) return;
  if (sent_ == round_.size()) round_.emplace_back();
  Sent& sent = round_[sent_++];
  sizes_.add(bytes);
  if (sent.from != from || sent.to != to || sent.bytes != bytes) {
    sent.from = from;
    sent.to = to;
    sent.bytes = bytes;
    find_costs(sent);
    known_ = 0;
  }
  now_[from] = time_after(now_[from], sent.isend);
  const std::int64_t ready =
      sent.needs_receive ? time_after(std::max(now_[from], now_[to]), machine_.handshake_ns) : now_[from];
  std::int64_t moves = time_after(ready, sent.latency_ns);
  sent.more_delay = 0;
  if (sent.shared) {
    Busy& busy = busy_[from];
    if (moves < busy.end && busy.begin < time_after(moves, sent.transfer_ns)) {
      sent.more_delay = sent.transfer_ns;
      moves = busy.end = time_after(busy.end, sent.transfer_ns);
    } else {
      const std::int64_t begin = moves;
      moves = time_after(moves, sent.transfer_ns);
      if (moves > busy.end) busy = {begin, moves};
    }
  }
  sent.arrived = moves;
}

void TimedRounds::combine(std::uint32_t member, std::uint64_t bytes) {
  combined_.emplace_back(member, bytes);
}

void TimedRounds::end_round() {
  if (!bounded_) return;
  bound_delays();
  for (std::size_t i = 0; i < sent_; ++i) {
    const Sent& sent = round_[i];
    if (sent.needs_receiver) now_[sent.from] = std::max(now_[sent.from], sent.arrived);
    now_[sent.to] = time_after(std::max(now_[sent.to], sent.arrived), sent.receive);
  }
  for (const auto& [member, bytes] : combined_) {
    const std::uint64_t units = bytes / Schedule::kCombineUnit;
    now_[member] = time_after(
        now_[member], machine_.reduction_ns_per_byte * static_cast<double>(units * Schedule::kCombineUnit));
  }
  combined_.clear();
  sent_ = 0;
}

void TimedRounds::find_loads() {
  known_ = sent_;
  std::ranges::fill(wanted_, 0);
  const auto on_ports = [this](const Sent& sent, const auto& use) {
    if (!sent.shared) return;
    const Route route = routes_.find(ranks_[sent.from], ranks_[sent.to], sent.bytes);
    for (const Route::Port& port : route.ports()) use(port, route.most_rate);
  };
  for (std::size_t i = 0; i < sent_; ++i)
    on_ports(round_[i], [this](const Route::Port& port, double rate) {
      wanted_[port.link] += static_cast<double>(port.weight) * rate;
    });
  for (std::size_t i = 0; i < sent_; ++i) {
    round_[i].load = 1;
    on_ports(round_[i], [&](const Route::Port& port, double) {
      round_[i].load = std::max(round_[i].load, wanted_[port.link] / routes_.capacity()[port.link]);
    });
  }
}

void TimedRounds::bound_delays() {
  if (known_ != sent_) find_loads();
  for (std::size_t i = 0; i < sent_; ++i) {
    Sent& sent = round_[i];
    sent.more_delay += std::max(delay_[sent.from], delay_[sent.to]) + (sent.load - 1) * sent.transfer_ns;
  }
  for (std::size_t i = 0; i < sent_; ++i)
    for (const std::uint32_t member : {round_[i].from, round_[i].to})
      delay_[member] = std::max(delay_[member], round_[i].more_delay);
}

double TimedRounds::most_delay() const {
  return delay_.empty() ? 0 : *std::ranges::max_element(delay_);
}

}  // namespace waitdiag
