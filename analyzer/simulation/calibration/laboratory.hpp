// What can be measured on a machine: by an MPI program on a real one, with formulas in tests.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/simulation/calibration/piecewise_fit.hpp"

namespace waitdiag {

struct RankPair {
  std::uint32_t from = 0, to = 0;
};

// Times are in ns and typical of many repetitions, as robust against disturbances as possible.
class Laboratory {
 public:
  Laboratory() = default;
  Laboratory(const Laboratory&) = delete;
  Laboratory& operator=(const Laboratory&) = delete;
  virtual ~Laboratory() = default;

  // By rank; the ranks that take part, from 0 on.
  virtual const std::vector<std::string>& hosts() const = 0;
  // Half a round trip. A `quick` one need not be repeated as often.
  virtual TimedSize ping_pong(RankPair pair, std::uint64_t bytes, bool quick) = 0;
  // How long the sender is in MPI_Send or MPI_Isend, while the receive is posted.
  virtual TimedSize send(RankPair pair, std::uint64_t bytes, bool blocking) = 0;
  // How long it takes to complete a receive that was posted before its message came.
  virtual TimedSize receive(RankPair pair, std::uint64_t bytes) = 0;
  // The receiver comes `late_ns` after the sender has called MPI_Send: how long the sender is in MPI_Send,
  // and how long the receiver then is in MPI_Recv.
  struct LateReceive {
    double sender_ns = 0, receiver_ns = 0;
  };
  virtual LateReceive late_receive(RankPair pair, std::uint64_t bytes, double late_ns) = 0;
  // How long a message takes while all pairs send at the same time, each one message after the other.
  virtual double flows(std::span<const RankPair> pairs, std::uint64_t bytes) = 0;
  // How long one byte takes to be combined with another (MPI_Reduce_local).
  virtual double combine_ns_per_byte() = 0;
  // Only measurements that are indispensable should still be made.
  virtual bool time_is_over() const = 0;
};

}  // namespace waitdiag
