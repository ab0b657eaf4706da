// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/results/short_naps.hpp"

#include <algorithm>

#include "analyzer/results/leading_ranks.hpp"

namespace waitdiag {

std::optional<double> short_naps(const Report& report, const Report::Cause& cause) {
  constexpr double kShort = 1e-3;      // seconds on average
  constexpr std::uint64_t kMany = 32;  // times on each rank
  if (cause.kind != "blocked" || cause.waited_for != "sleep") return std::nullopt;
  const bool elsewhere = std::ranges::any_of(report.hotspots, [&](const Report::Hotspot& hotspot) {
    return hotspot.function == cause.function && hotspot.call_path != cause.call_path;
  });
  if (elsewhere) return std::nullopt;
  const std::vector<std::int64_t> late = named_ranks(cause.ranks);
  double time = 0;
  std::uint64_t times = 0, ranks = 0;
  for (const Report::Cause::Execution& ran : cause.executions) {
    if (!ran.visits || *ran.visits == 0) continue;
    ++ranks;
    if (!std::ranges::binary_search(late, ran.rank)) continue;
    if (*ran.visits < kMany) return std::nullopt;
    time += ran.seconds;
    times += *ran.visits;
  }
  const bool somebody_never_does = ranks < report.run.ranks;
  if (times == 0 || !somebody_never_does || time > kShort * static_cast<double>(times)) return std::nullopt;
  return time / static_cast<double>(times);
}

}  // namespace waitdiag
