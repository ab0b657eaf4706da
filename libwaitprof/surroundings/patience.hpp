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
  static constexpr std::uint64_t kAmongOthers = 50'000, kAlone = 1'000'000;  // ns
  explicit Patience(std::uint64_t stays = usual_stay) noexcept;

  // Of so many ranks on this machine: who sleeps on a machine where others work gets its processor back only when their time slice
  // ends, which pays only where the processor may be a rank's.
  static void be_one_of(int ranks) noexcept;

  // To be called after each poll that found nothing. After `stays` it sleeps, for a small part of the time that it has
  // waited so far.
  void give_way() const noexcept;

 private:
  static std::uint64_t usual_stay;

  std::uint64_t begin_, stays_;
};

}  // namespace waitprof
