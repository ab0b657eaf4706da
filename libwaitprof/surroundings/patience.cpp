// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/patience.hpp"

#include <algorithm>
#include <ctime>

#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {

Patience::Patience(std::uint64_t stays) noexcept : begin_(now()), stays_(stays) {}

void Patience::give_way() const noexcept {
  constexpr std::uint64_t kPart = 64, kShortest = 20'000, kLongest = 1'000'000;
  const std::uint64_t waited = now() - begin_;
  if (waited < stays_) {
    return;
  }
  const timespec nap{0, static_cast<long>(std::clamp(waited / kPart, kShortest, kLongest))};
  nanosleep(&nap, nullptr);
}

}  // namespace waitprof
