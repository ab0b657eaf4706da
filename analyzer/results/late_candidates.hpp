// Who else was late for a call that completes many requests (MPI_Waitall), which is charged only its longest wait.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace waitdiag {

struct LateCandidate {
  std::int64_t rank = 0;  // that waited
  std::string call_path{};
  std::int64_t late_rank = 0;
  std::uint64_t count = 0;
  double seconds = 0, charged_s = 0;  // charged_s: where it was the longest
};

// Sums of those that are not listed one by one.
struct LateCandidates {
  std::uint64_t entries = 0, count = 0;
  double seconds = 0, charged_s = 0;
};

}  // namespace waitdiag
