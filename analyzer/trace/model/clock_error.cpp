// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/clock_error.hpp"

#include <algorithm>

#include "analyzer/trace/model/number_property.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {

Duration clock_error(const Trace& trace) {
  const std::int64_t nanoseconds = number_property(trace, waitprof::schema::kClockError).value_or(0);
  constexpr std::int64_t kAnHour = 3'600'000'000'000;
  return Duration(std::clamp<std::int64_t>(nanoseconds, 0, kAnHour));
}

Duration uncertainty_between(const Trace& trace, Location one, Location other, Duration clock_error) {
  const std::string& node = trace.locations()[index(one)].node;
  return !node.empty() && node == trace.locations()[index(other)].node ? Duration::zero() : 2 * clock_error;
}

}  // namespace waitdiag
