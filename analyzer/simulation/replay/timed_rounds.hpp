// A collective operation whose messages do not hold each other back, timed while its algorithm tells the rounds:
// no message is stored longer than its round, and none is an event.
//
// An operation may have p * p messages: MPI_Allgather by a ring, and SMPI's MPI_Cart_create, which is two of them.
// Rounds with the same messages as the one before, as those of a ring, also cost no search for routes.
//
// Times are those of a replay (transfers.hpp) if each message moves as fast as alone. By how much ports that several
// messages pass could change them is bounded by `most_delay`: what the transfers of a round take longer if all start at
// once, along the chain of messages where that is most. A member that came late catches up, with messages of several rounds
// that move together, and so they do from member to member: that is not bounded.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "analyzer/simulation/replay/routes.hpp"
#include "analyzer/simulation/replay/schedule.hpp"
#include "analyzer/simulation/replay/sent_sizes.hpp"

namespace waitdiag {

class TimedRounds : public Rounds {
 public:
  // `ranks`: of the members; `begin`: when each begins. Both `machine` and `routes` must outlive this.
  TimedRounds(const Machine& machine, const Routes& routes, std::span<const std::uint32_t> ranks,
              std::vector<std::int64_t> begin);

  void message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) override;
  void combine(std::uint32_t member, std::uint64_t bytes) override;
  void end_round() override;
  void part_by_part() override { bounded_ = false; }

  const std::vector<std::int64_t>& ends() const { return now_; }  // by member
  std::uint64_t messages() const { return messages_; }
  const SentSizes& sizes() const { return sizes_; }
  // False: parts of the members overlap, or rounds are too large.
  bool is_bounded() const { return bounded_; }
  double least_latency_ns() const { return least_latency_ns_; }  // of a message
  double most_delay() const;                                     // ns

 private:
  struct Sent {
    std::uint32_t from = UINT32_MAX, to = 0;
    std::uint64_t bytes = 0;
    std::int64_t isend = 0, receive = 0;  // overheads
    double latency_ns = 0, transfer_ns = 0;
    bool shared = false, needs_receive = false, needs_receiver = false;
    double load = 1;        // of its fullest port, if the whole round moved at once
    double more_delay = 0;  // of this message
    std::int64_t arrived = 0;
  };
  void find_costs(Sent& sent);
  void find_loads();
  void bound_delays();

  const Machine& machine_;
  const Routes& routes_;
  std::span<const std::uint32_t> ranks_;
  // When messages of a member move through its ports, without a pause: that is behind their latency, so that one to
  // somebody near may move before an earlier one to somebody far away.
  struct Busy {
    std::int64_t begin = INT64_MIN, end = INT64_MIN;
  };
  std::vector<std::int64_t> now_;     // by member
  std::vector<Busy> busy_;            // the last such time of each
  std::vector<Sent> round_;           // the messages of this round, and then those of the one before
  std::size_t sent_ = 0, known_ = 0;  // so many of this one, and whose loads are known
  std::vector<std::pair<std::uint32_t, std::uint64_t>> combined_;
  std::vector<double> delay_;   // by member, so far
  std::vector<double> wanted_;  // by link
  std::uint64_t messages_ = 0;
  SentSizes sizes_{};
  double least_latency_ns_ = std::numeric_limits<double>::infinity();
  bool bounded_ = true;
};

}  // namespace waitdiag
