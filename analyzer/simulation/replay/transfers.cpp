// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/transfers.hpp"

#include <algorithm>

#include "analyzer/simulation/replay/simulated_time.hpp"

namespace waitdiag {

using Mode = ProgramMessage::Mode;

Transfers::Transfers(const Machine& machine, const Placement& placement)
    : machine_(machine),
      routes_(machine, placement),
      links_(routes_.capacity()),
      handshake_(time_after(0, machine.handshake_ns)) {}

std::uint32_t Transfers::add(std::size_t count) {
  const auto first = static_cast<std::uint32_t>(all_.size());
  all_.resize(all_.size() + count);
  return first;
}

bool Transfers::needs_receiver(const Transfer& transfer) const {
  return transfer.mode == Mode::Synchronous ||
         (transfer.mode == Mode::BySize && transfer.bytes > machine_.detached_bytes);
}
bool Transfers::waits_for_receive(const Transfer& transfer) const {
  return transfer.mode == Mode::Synchronous ||
         (transfer.mode == Mode::BySize && (transfer.bytes > machine_.eager_bytes || !machine_.eager));
}
double Transfers::latency_ns(const Transfer& transfer) const {
  return routes_.alone_ns(transfer.from, transfer.to, 0);
}

void Transfers::send(std::uint32_t number, std::int64_t now) {
  Transfer& transfer = all_[number];
  transfer.sent = now;
  if (!waits_for_receive(transfer)) {
    launch(number, now);
  } else if (transfer.posted != Transfer::kUnknown) {
    launch(number, time_after(std::max(now, transfer.posted), handshake_));
  }
}

void Transfers::post(std::uint32_t number, std::int64_t now) {
  Transfer& transfer = all_[number];
  transfer.posted = now;
  if (transfer.sent != Transfer::kUnknown && waits_for_receive(transfer))
    launch(number, time_after(std::max(now, transfer.sent), handshake_));
}

void Transfers::launch(std::uint32_t number, std::int64_t time) {
  const Transfer& transfer = all_[number];
  sizes.add(transfer.bytes);
  const Routes::Cost cost = routes_.cost(transfer.from, transfer.to, transfer.bytes);
  const auto bytes = static_cast<double>(transfer.bytes + machine_.envelope_bytes);
  if (!cost.shared || bytes == 0) {
    arrive(number, time_after(time, cost.latency_ns + cost.ns_per_byte * bytes));
    return;
  }
  starts_.push_back({time_after(time, cost.latency_ns), number});
  std::push_heap(starts_.begin(), starts_.end());
}

void Transfers::arrive(std::uint32_t number, std::int64_t time) {
  Transfer& transfer = all_[number];
  transfer.arrived = time;
  for (std::uint32_t* waits : {&transfer.sender_waits, &transfer.receiver_waits}) {
    if (*waits == Transfer::kNoRank) continue;
    ready.push_back(*waits);
    *waits = Transfer::kNoRank;
  }
  if (transfer.answer != ProgramMessage::kNone) send(transfer.answer, time);
}

bool Transfers::advance() {
  while (ready.empty()) {
    const std::int64_t start = starts_.empty() ? SharedLinks::kNever : starts_.front().time;
    const std::int64_t next = std::min(start, links_.next_end());
    if (links_.unsettled() && next > clock_) {
      links_.settle(clock_);
      continue;
    }
    if (next == SharedLinks::kNever) return false;
    clock_ = next;
    if (start == next) {
      const std::uint32_t number = starts_.front().number;
      std::pop_heap(starts_.begin(), starts_.end());
      starts_.pop_back();
      const Transfer& transfer = all_[number];
      links_.start(number, routes_.find(transfer.from, transfer.to, transfer.bytes),
                   static_cast<double>(transfer.bytes + machine_.envelope_bytes), next);
    } else {
      arrive(links_.finish_next(), next);
    }
  }
  return true;
}

}  // namespace waitdiag
