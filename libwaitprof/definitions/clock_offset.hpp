// How far a rank's clock is from rank 0's.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof::archive {

struct ClockOffset {
  std::uint64_t time = 0;   // when measured, on this rank's clock
  std::int64_t offset = 0;  // rank 0's clock minus this rank's, ns
  std::uint64_t error = 0;  // `offset` is wrong by at most this many ns
};

}  // namespace waitprof::archive
