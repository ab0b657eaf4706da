// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/retiming/correct_clocks.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "analyzer/diagnosis/retiming/logical_clock.hpp"
#include "analyzer/trace/model/mpi_calls.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/rank_locations.hpp"

namespace waitdiag {
namespace {

// Backward amortisation: a jump is spread over a time 100 times as long.
constexpr std::int64_t kSpread = 100;

Duration after(Duration shift, Duration distance) {
  return std::max(shift - distance / kSpread, Duration::zero());
}

// From the last call to the first: `shift` is what a later jump still requires here.
NewTimes amortised(const LogicalClock& clock, Location location) {
  NewTimes times = clock.times(location);
  const std::vector<LogicalClock::Jump>& jumps = clock.jumps(location);
  if (jumps.empty()) return times;
  const std::vector<Duration>& room = clock.room(location);
  auto jump = jumps.rbegin();
  Duration shift{};
  Time later = times.leave.back();
  for (std::size_t op = times.enter.size(); op-- > 0;) {
    shift = after(shift, later - times.leave[op]);
    later = times.leave[op];
    times.leave[op] += shift;
    if (jump != jumps.rend() && jump->op == op) {
      shift += jump->length;
      later -= jump->length;
      ++jump;
    }
    shift = std::min(after(shift, later - times.enter[op]), room[op]);
    later = times.enter[op];
    times.enter[op] += shift;
  }
  times.begin += after(shift, later - times.begin);
  return times;
}

bool several_threads_call(const Trace& trace) {
  const MpiCalls mpi(trace);
  const auto calls = [&](Location location) { return mpi.count(location) > 0; };
  return std::ranges::any_of(locations_by_rank(trace), [&](const std::vector<Location>& threads) {
    return std::ranges::count_if(threads, calls) > 1;
  });
}

struct Correction {
  std::uint64_t jumps = 0;
  Duration largest{};
  std::vector<NewTimes> times{};  // none: nothing was corrected
};

Correction correction_of(const Trace& trace, const SyncPoints& sync) {
  const LogicalClock clock(trace, sync);
  const std::size_t locations = trace.timelines().size();
  Correction result;
  for (std::size_t l = 0; l < locations; ++l) {
    for (const LogicalClock::Jump& jump : clock.jumps(Location(l))) {
      ++result.jumps;
      result.largest = std::max(result.largest, jump.length);
    }
  }
  if (result.jumps == 0 || several_threads_call(trace)) return result;
  result.times.resize(locations);
  for_each_index(locations, [&](std::size_t l) { result.times[l] = amortised(clock, Location(l)); });
  return result;
}

}  // namespace

Trace correct_clocks(Trace trace, const SyncPoints& sync) {
  Correction correction = correction_of(trace, sync);
  if (correction.jumps == 0) return trace;
  char text[200];
  std::snprintf(text, sizeof text, "calls ended before what they waited for had begun, by up to %.9f s: ",
                seconds(correction.largest));
  if (correction.times.empty()) {
    return annotated(std::move(trace),
                     {"clocks_not_corrected", Gravity::Warning, correction.jumps,
                      text + std::string("nothing was corrected, because several threads of a rank "
                                         "call MPI and could pass each other")});
  }
  return retimed(std::move(trace), std::move(correction.times),
                 {"clocks_corrected", Gravity::Warning, correction.jumps,
                  text + std::string("all times were corrected, as asked for, and are no longer the measured "
                                     "ones")});
}

}  // namespace waitdiag
