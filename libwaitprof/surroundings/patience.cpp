// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/patience.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {

constinit std::uint64_t Patience::usual_stay = kAmongOthers;

void Patience::be_one_of(int ranks) noexcept {
  usual_stay = ranks > sysconf(_SC_NPROCESSORS_ONLN) ? kAmongOthers : kAlone;
}

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
