// Messages on their way: by which protocol, when they arrive, who waits for them.
//
//   eager       (up to Machine::eager_bytes)    the data moves when it is sent
//   detached    (up to Machine::detached_bytes) the sender goes on; the data moves when the receive is posted
//   rendezvous  (above; synchronous sends)      as detached, and the sender waits until the data has arrived
//
// Times are whole nanoseconds. A process may be ahead of the others: what it does is stamped with its own
// time, and all of its effects lie in the future.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/simulation/replay/program.hpp"
#include "analyzer/simulation/replay/sent_sizes.hpp"
#include "analyzer/simulation/replay/shared_links.hpp"

namespace waitdiag {

struct Transfer {
  static constexpr std::int64_t kUnknown = INT64_MIN;
  std::int64_t sent = kUnknown, posted = kUnknown, arrived = kUnknown;
  std::uint64_t bytes = 0;
  std::uint32_t from = 0, to = 0;  // ranks
  std::uint32_t sender_waits = kNoRank, receiver_waits = kNoRank;
  ProgramMessage::Mode mode = ProgramMessage::Mode::BySize;
  std::uint32_t answer = ProgramMessage::kNone;
  static constexpr std::uint32_t kNoRank = UINT32_MAX;
};

class Transfers {
 public:
  Transfers(const Machine& machine, const Placement& placement);

  // Adds `count` messages, which are numbered in order; returns the first number.
  std::uint32_t add(std::size_t count);
  Transfer& operator[](std::uint32_t number) { return all_[number]; }
  const Transfer& operator[](std::uint32_t number) const { return all_[number]; }
  void reserve(std::size_t count) { all_.reserve(count); }

  void send(std::uint32_t number, std::int64_t now);
  void post(std::uint32_t number, std::int64_t now);
  bool needs_receiver(const Transfer& transfer) const;
  const Routes& routes() const { return routes_; }
  double latency_ns(const Transfer& transfer) const;

  // Advances time until something arrives; false: nothing is under way.
  bool advance();
  // The locations that waited for what arrived: the caller empties it.
  std::vector<std::uint32_t> ready;
  SentSizes sizes;

 private:
  struct Start {
    std::int64_t time;
    std::uint32_t number;
    // For a heap with the earliest on top.
    friend bool operator<(const Start& a, const Start& b) {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };
  bool waits_for_receive(const Transfer& transfer) const;
  void launch(std::uint32_t number, std::int64_t time);
  void arrive(std::uint32_t number, std::int64_t time);

  const Machine& machine_;
  Routes routes_;
  SharedLinks links_;
  std::vector<Transfer> all_;
  std::vector<Start> starts_;
  std::int64_t clock_ = INT64_MIN;
  std::int64_t handshake_;
};

}  // namespace waitdiag
