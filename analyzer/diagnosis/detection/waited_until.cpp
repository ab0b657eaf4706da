// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/detection/waited_until.hpp"

#include <algorithm>

namespace waitdiag {

Duration waited_until(const CallTimes& call, Time released) {
  return released < call.leave ? released - call.enter : Duration::zero();
}

Duration waited_at_most_until(const CallTimes& call, Time released) {
  return std::min(released, call.leave) - call.enter;
}

}  // namespace waitdiag
