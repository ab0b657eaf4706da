// Waiting for another rank that may need this processor. MPI polls without a pause: where ranks share processors, one that
// waits keeps the other from what it waits for until the kernel's time slice ends, some milliseconds in each round of each
// operation.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

class Patience {
 public:
  static constexpr std::uint64_t kRounds = 50'000;  // ns; messages between ranks that all run take less
  explicit Patience(std::uint64_t stays = kRounds) noexcept;

  // To be called after each poll that found nothing. After `stays` it sleeps, for a small part of the time that it has
  // waited so far.
  void give_way() const noexcept;

 private:
  std::uint64_t begin_, stays_;
};

}  // namespace waitprof
