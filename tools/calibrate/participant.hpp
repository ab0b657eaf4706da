// A rank's part in measurements. Every rank has one; that of rank 0 is called by MpiLaboratory.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/calibrate/order.hpp"

namespace waitdiag::measuring {

class Participant {
 public:
  // `patient`: there are more ranks than cores, so a rank that waits for an order sleeps.
  explicit Participant(bool patient) : patient_(patient) {}

  // Does what rank 0 orders until it orders to stop.
  void serve();
  Measured take_part(const Order& order);

  void send_order(const Order& order, int rank) const;
  Measured receive_result(int rank) const;
  // Flows: rank 0 lets all begin when all are ready.
  void release(const std::vector<int>& ranks) const;

 private:
  Order receive_order() const;
  void await(int rank, int tag) const;
  Measured ping_pong(const Order& order);
  Measured time_send(const Order& order);
  Measured time_receive(const Order& order);
  Measured time_late_receive(const Order& order);
  Measured flows(const Order& order);
  char* room(std::uint64_t bytes, std::size_t number);

  bool patient_;
  std::vector<std::vector<char>> rooms_{};  // buffers for messages, by number
};

}  // namespace waitdiag::measuring
