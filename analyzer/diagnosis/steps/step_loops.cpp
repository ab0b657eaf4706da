// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/steps/step_loops.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "analyzer/diagnosis/steps/step_bursts.hpp"
#include "analyzer/trace/model/call_class.hpp"
#include "analyzer/trace/sync/parts_of_call.hpp"

namespace waitdiag {
namespace {

constexpr std::uint32_t kFewestExecutions = 3;
constexpr std::uint32_t kMostPerIteration = 26;  // neighbours in a domain of three dimensions
constexpr double kSpan = 0.5;                    // of the run, that a loop must take
constexpr double kIrregular = 2.0;               // mean distance of two iterations : median

bool communicates(const Region& region) {
  return region.kind == CallKind::ThreadBarrier ||
         (region.mpi() && waitprof::schema::names_of(call_class(region)).step);
}

// How often a call path was visited on the ranks that have it: in each iteration once on a rank at the edge
// of a domain, twice in its middle.
struct CountedExecutions {
  std::uint32_t fewest = 0, most = 0;
  std::uint32_t divisor = 0;  // the greatest common divisor over all ranks
};

// The calls of one loop.
struct Loop {
  std::vector<std::size_t> call_paths;
  std::size_t depth = 0;  // of the innermost function that calls all of them
};

class LoopSearch {
 public:
  explicit LoopSearch(const Trace& trace) : trace_(trace), executions_(trace.call_paths().size()) {
    std::vector<std::uint32_t> count(executions_.size(), 0);
    for (std::size_t l = 0; l < trace.timelines().size(); ++l) count_executions(Location(l), count);
  }

  Steps find() const {
    const Steps once = best_of(visited_once());
    return once.count() > 0 ? once : best_of(executed_in_bursts());
  }

 private:
  using Loops = std::map<std::uint32_t, Loop>;           // by number of iterations
  using Ends = std::vector<std::vector<std::uint32_t>>;  // by location: the last operation of each iteration

  // Loops whose calls occur once in an iteration on at least one rank, and several times on others.
  Loops visited_once() const {
    Loops loops;
    for (std::size_t path = 0; path < executions_.size(); ++path) {
      const CountedExecutions& executions = executions_[path];
      if (executions.divisor != executions.fewest || executions.fewest < kFewestExecutions) continue;
      if (executions.most <= kMostPerIteration * executions.fewest)
        loops[executions.fewest].call_paths.push_back(path);
    }
    for (std::size_t path = 0; path < executions_.size(); ++path) {
      const CountedExecutions& executions = executions_[path];
      const auto loop = loops.find(executions.divisor);
      if (executions.divisor == executions.fewest || loop == loops.end()) continue;
      if (executions.most <= kMostPerIteration * executions.divisor) loop->second.call_paths.push_back(path);
    }
    return loops;
  }

  Loops executed_in_bursts() const {
    std::vector<CommonVisits> candidates;
    for (std::size_t path = 0; path < executions_.size(); ++path)
      if (executions_[path].divisor > 0)
        candidates.push_back({path, executions_[path].divisor, executions_[path].most});
    Loops loops;
    for (auto& [iterations, call_paths] : bursts(trace_, candidates, kMostPerIteration))
      loops[iterations].call_paths = std::move(call_paths);
    return loops;
  }

  Steps best_of(Loops loops) const {
    const Loops::value_type* best = nullptr;
    Ends best_ends;
    for (auto& loop : loops) {
      loop.second.depth = depth_of(loop.second);
      if (best != nullptr && rank_of(best->second) <= rank_of(loop.second)) continue;
      Ends ends = ends_of(loop.second, loop.first);
      if (!is_regular(ends, loop.first)) continue;
      best = &loop;
      best_ends = std::move(ends);
    }
    if (best == nullptr) return {};
    for (auto loop = loops.upper_bound(best->first); loop != loops.end(); ++loop) {
      if (loop->second.depth > best->second.depth) continue;
      Ends ends = ends_of(loop->second, loop->first);
      if (!is_regular(ends, loop->first) || !is_now_and_then(best_ends, ends)) continue;
      best = &*loop;
      best_ends = std::move(ends);
    }
    return {StepSource::Communication, best->first, begins_of(best_ends)};
  }

  // Whether the loop of `seldom` is something that is done in every n-th iteration of `often`, such as
  // output, and not a loop around them: the same number of iterations in between, but their total is not a
  // multiple.
  bool is_now_and_then(const Ends& seldom, const Ends& often) const {
    bool found = false;
    for (std::size_t rank = 0; rank < trace_.ranks(); ++rank) {
      const std::size_t l = index(trace_.main_location(Rank(static_cast<std::int32_t>(rank))));
      if (seldom[l].empty() || often[l].empty()) continue;
      std::vector<std::ptrdiff_t> between;  // before the first, from one to the next, after the last
      auto from = often[l].begin();
      for (const std::uint32_t end : seldom[l]) {
        const auto to = std::lower_bound(from, often[l].end(), end);
        between.push_back(to - from);
        from = to;
      }
      const std::ptrdiff_t tail = often[l].end() - from, each = between[1];
      const bool alike = std::all_of(between.begin() + 1, between.end(),
                                     [each](std::ptrdiff_t count) { return count == each; });
      if (!alike || each < 2 || between[0] > each || tail > each || between[0] + tail == each) return false;
      found = true;
    }
    return found;
  }

  // The smaller the better; among equals the first one, with fewer iterations, is kept.
  static std::pair<std::size_t, std::ptrdiff_t> rank_of(const Loop& loop) {
    return {loop.depth, -static_cast<std::ptrdiff_t>(loop.call_paths.size())};
  }

  void count_executions(Location location, std::vector<std::uint32_t>& count) {
    const Timeline& timeline = trace_.timeline(location);
    const PartsOfCalls parts(trace_, location);
    std::vector<std::size_t> seen;
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      if (!parts.ends(op)) continue;
      const std::size_t path = index(trace_.without_sites(timeline.call_path(op)));
      if (count[path]++ == 0) seen.push_back(path);
    }
    for (const std::size_t path : seen) {
      CountedExecutions& executions = executions_[path];
      if (communicates(trace_.region(CallPathId(path)))) {
        executions.fewest = executions.fewest == 0 ? count[path] : std::min(executions.fewest, count[path]);
        executions.most = std::max(executions.most, count[path]);
        executions.divisor = std::gcd(executions.divisor, count[path]);
      }
      count[path] = 0;
    }
  }

  std::vector<std::size_t> frames_of(std::size_t path) const {
    std::vector<std::size_t> frames;
    for (CallPathId id{static_cast<std::uint32_t>(path)}; id != kNoCallPath;
         id = trace_.call_paths()[index(id)].parent)
      frames.push_back(index(id));
    std::reverse(frames.begin(), frames.end());
    frames.pop_back();  // the MPI call itself
    return frames;
  }

  std::size_t depth_of(const Loop& loop) const {
    std::vector<std::size_t> common = frames_of(loop.call_paths.front());
    for (const std::size_t path : loop.call_paths) {
      const std::vector<std::size_t> frames = frames_of(path);
      const auto [end, other] = std::mismatch(common.begin(), common.end(), frames.begin(), frames.end());
      common.erase(end, common.end());
    }
    return common.size();
  }

  // By location: the operations that end the iterations: those of the call that comes last of all; if there
  // are several in an iteration, the last one.
  Ends ends_of(const Loop& loop, std::uint32_t iterations) const {
    std::vector<bool> wanted(executions_.size(), false);
    for (const std::size_t path : loop.call_paths) wanted[path] = true;
    Ends ends(trace_.timelines().size());
    for (std::size_t l = 0; l < ends.size(); ++l) {
      const Timeline& timeline = trace_.timelines()[l];
      const PartsOfCalls parts(trace_, Location(static_cast<std::uint32_t>(l)));
      CallPathId last = kNoCallPath;
      for (auto op = static_cast<std::uint32_t>(timeline.size()); op-- > 0;) {
        const CallPathId path = trace_.without_sites(timeline.call_path(op));
        if (last == kNoCallPath && wanted[index(path)]) last = path;
        if (path == last && last != kNoCallPath && parts.ends(op)) ends[l].push_back(op);
      }
      const std::size_t each = std::max<std::size_t>(1, ends[l].size() / iterations);
      for (std::size_t i = 0; i * each < ends[l].size(); ++i) ends[l][i] = ends[l][i * each];
      ends[l].resize((ends[l].size() + each - 1) / each);
      std::reverse(ends[l].begin(), ends[l].end());
    }
    return ends;
  }

  // On every rank, throughout the run.
  bool is_regular(const Ends& ends, std::uint32_t count) const {
    for (std::size_t rank = 0; rank < trace_.ranks(); ++rank) {
      const Location location = trace_.main_location(Rank(static_cast<std::int32_t>(rank)));
      const Timeline& timeline = trace_.timeline(location);
      const std::vector<std::uint32_t>& mine = ends[index(location)];
      if (timeline.size() == 0) continue;
      if (mine.size() != count) return false;
      std::vector<Duration> distances;
      for (std::size_t i = 1; i < mine.size(); ++i)
        distances.push_back(timeline.leave(mine[i]) - timeline.leave(mine[i - 1]));
      const Duration all = timeline.leave(mine.back()) - timeline.leave(mine.front());
      const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
      std::nth_element(distances.begin(), middle, distances.end());
      const double mean = static_cast<double>(all.count()) / (count - 1);
      const auto run = static_cast<double>((timeline.end() - timeline.begin()).count());
      if (mean * count < kSpan * run || mean > kIrregular * static_cast<double>(middle->count()))
        return false;
    }
    return true;
  }

  // The first step begins after the last call before the loop: what comes before the loop is set-up.
  static std::vector<std::vector<StepBegin>> begins_of(const Ends& ends) {
    std::vector<std::vector<StepBegin>> begins(ends.size());
    for (std::size_t l = 0; l < ends.size(); ++l) {
      const std::vector<std::uint32_t>& mine = ends[l];
      if (mine.empty()) continue;
      const std::uint32_t length = mine.size() > 1 ? mine[1] - mine[0] : 1;
      const std::uint32_t first = mine[0] + 1 > length ? mine[0] + 1 - length : 0;
      begins[l].push_back({first});
      for (const std::uint32_t end : mine) begins[l].push_back({end + 1});
    }
    return begins;
  }

  const Trace& trace_;
  std::vector<CountedExecutions> executions_;  // by call path (Trace::without_sites)
};

}  // namespace

Steps repeating_steps(const Trace& trace) {
  return LoopSearch(trace).find();
}

}  // namespace waitdiag
