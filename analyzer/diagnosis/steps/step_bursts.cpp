// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/steps/step_bursts.hpp"

#include <algorithm>

#include "analyzer/trace/sync/parts_of_call.hpp"

namespace waitdiag {
namespace {

constexpr std::uint32_t kFewestBursts = 8;  // that many are hardly ever separate by chance
constexpr int kFarther = 2;

// From the end of the first call to the begin of the second.
Duration between(const Timeline& timeline, std::uint32_t first, std::uint32_t second) {
  return timeline.enter(second) - timeline.leave(first);
}

// `ops`: all visits of one call path on one rank.
bool come_in_bursts(const Timeline& timeline, const std::vector<std::uint32_t>& ops, std::uint32_t bursts) {
  const std::size_t each = ops.size() / bursts;
  if (each < 2) return true;
  std::uint32_t apart = 0;
  for (std::size_t first = 0; first + each < ops.size(); first += each) {
    Duration inside{};
    for (std::size_t i = first; i + 1 < first + each; ++i)
      inside = std::max(inside, between(timeline, ops[i], ops[i + 1]));
    apart += between(timeline, ops[first + each - 1], ops[first + each]) > kFarther * inside;
  }
  return 10 * apart >= 9 * (bursts - 1);
}

// Numbers of bursts that are still possible for a call path, the largest first.
struct Possible {
  std::size_t call_path = 0;
  std::vector<std::uint32_t> bursts;
};

std::vector<Possible> all_possible(const std::vector<CommonVisits>& candidates, std::uint32_t most_in_one) {
  std::vector<Possible> found;
  for (const CommonVisits& candidate : candidates) {
    Possible possible{candidate.call_path, {}};
    for (std::uint32_t each = 1; each <= most_in_one; ++each) {
      const std::uint32_t number = candidate.divisor / each;
      const bool several = candidate.most > number, fits = candidate.most <= most_in_one * number;
      if (candidate.divisor % each == 0 && number >= kFewestBursts && several && fits)
        possible.bursts.push_back(number);
    }
    if (!possible.bursts.empty()) found.push_back(std::move(possible));
  }
  return found;
}

}  // namespace

std::map<std::uint32_t, std::vector<std::size_t>> bursts(const Trace& trace,
                                                         const std::vector<CommonVisits>& candidates,
                                                         std::uint32_t most_in_one) {
  std::vector<Possible> possible = all_possible(candidates, most_in_one);
  std::vector<std::uint32_t> place(trace.call_paths().size(), kNoOp);
  for (std::uint32_t i = 0; i < possible.size(); ++i) place[possible[i].call_path] = i;
  std::vector<std::vector<std::uint32_t>> ops(possible.size());
  for (std::size_t l = 0; l < trace.timelines().size() && !possible.empty(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    const PartsOfCalls parts(trace, Location(static_cast<std::uint32_t>(l)));
    for (auto& mine : ops) mine.clear();
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      const CallPathId path = trace.without_sites(timeline.call_path(op));
      if (const std::uint32_t i = place[index(path)]; i != kNoOp && parts.ends(op)) ops[i].push_back(op);
    }
    for (std::size_t i = 0; i < possible.size(); ++i)
      std::erase_if(possible[i].bursts, [&](std::uint32_t number) {
        return !ops[i].empty() && !come_in_bursts(timeline, ops[i], number);
      });
  }
  std::map<std::uint32_t, std::vector<std::size_t>> found;
  for (const Possible& one : possible)
    if (!one.bursts.empty()) found[one.bursts.front()].push_back(one.call_path);
  return found;
}

}  // namespace waitdiag
