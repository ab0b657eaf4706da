// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/exports/cube_profile.hpp"

#include <algorithm>
#include <numeric>

#include "analyzer/writers/exports/call_sums.hpp"

namespace waitdiag {
namespace {

constexpr double kSecondsPerNanosecond = 1e-9;

enum Metric : std::size_t {
  kTime,
  kComputation,
  kMpi,
  kWaiting,
  kVisits,
  kCaused,
  kDirect,
  kIndirect,
  kExcess
};

std::vector<CubeMetric> metrics_without_patterns() {
  const std::size_t top = CubeMetric::kTop;
  return {
      {"time", "Time", "sec", "Time of all threads that are shown", top, {}},
      {"computation", "Computation", "sec", "Outside MPI", kTime, {}},
      {"mpi", "MPI", "sec", "In calls of MPI", kTime, {}},
      {"waiting", "Waiting", "sec", "In calls of MPI, for another process", kMpi, {}},
      {"visits", "Visits", "occ", "Visits, where they are known", top, {}},
      {"caused",
       "Caused waiting",
       "sec",
       "Waiting of others that this call path caused, on the thread that caused it (whole run)",
       top,
       {}},
      {"caused_direct", "Direct", "sec", "By running longer than those who waited", kCaused, {}},
      {"caused_indirect", "Indirect", "sec", "By making somebody late whom others waited for", kCaused, {}},
      {"excess",
       "Excess time",
       "sec",
       "How much longer it ran than on those who waited (whole run)",
       top,
       {}}};
}

// The call paths that are used, and all above them, in preorder after one root.
class CallTree {
 public:
  explicit CallTree(const Trace& trace) : trace_(trace), place_(trace.call_paths().size(), kUnused) {}

  void use(CallPathId path) {
    for (; path != kNoCallPath && place_[index(path)] == kUnused;
         path = trace_.call_paths()[index(path)].parent)
      place_[index(path)] = kUsed;
  }

  std::vector<CubeCallPath> preorder() {
    const std::size_t root = place_.size();
    std::vector<std::vector<CallPathId>> children(root + 1);
    for (std::size_t path = root; path-- > 0;) {
      if (place_[path] == kUnused) continue;
      const CallPathId parent = trace_.call_paths()[path].parent;
      children[parent == kNoCallPath ? root : index(parent)].push_back(
          CallPathId{static_cast<std::uint32_t>(path)});
    }
    std::vector<CubeCallPath> found{{}};
    std::vector<CubeCallPath> open;
    for (const CallPathId path : children[root]) open.push_back({path, 0});
    while (!open.empty()) {
      const CubeCallPath next = open.back();
      open.pop_back();
      const auto place = static_cast<std::uint32_t>(found.size());
      place_[index(next.id)] = place;
      found.push_back(next);
      for (const CallPathId path : children[index(next.id)]) open.push_back({path, place});
    }
    return found;
  }

  std::uint32_t place(CallPathId path) const { return path == kNoCallPath ? 0 : place_[index(path)]; }

 private:
  static constexpr std::uint32_t kUnused = ~0U, kUsed = kUnused - 1;
  const Trace& trace_;
  std::vector<std::uint32_t> place_;  // by call path, once they are in order
};

class ProfileBuilder {
 public:
  explicit ProfileBuilder(const ExportView& view) : view_(view), tree_(view.trace) {}

  CubeProfile build() {
    profile_.metrics = metrics_without_patterns();
    for (const PageSelection::Lane& lane : view_.selection.lanes) lanes_.push_back(call_sums(view_, lane));
    use_call_paths();
    profile_.call_paths = tree_.preorder();
    for (lane_ = 0; lane_ < lanes_.size(); ++lane_) add_sums(lanes_[lane_]);
    for (const DelayCost& cost : view_.diagnosis.costs.costs) add_cost(cost);
    for (CubeMetric& metric : profile_.metrics) merge(metric.values);
    return std::move(profile_);
  }

 private:
  template <typename Use>
  static void for_each_path(const CallSums& sums, Use use) {
    for (const auto* times : {&sums.computation, &sums.mpi, &sums.visits})
      for (const auto& [path, value] : *times) use(path);
  }

  void use_call_paths() {
    for (const CallSums& sums : lanes_) for_each_path(sums, [this](CallPathId path) { tree_.use(path); });
    for (const DelayCost& cost : view_.diagnosis.costs.costs) tree_.use(cost.call_path);
  }

  void add_sums(const CallSums& sums) {
    for (const auto& [path, ns] : sums.computation) add(kComputation, path, ns * kSecondsPerNanosecond);
    for (const auto& [path, ns] : sums.mpi) add(kMpi, path, ns * kSecondsPerNanosecond);
    for (const auto& [path, visits] : sums.visits) add(kVisits, path, visits);
    for (const auto& [key, ns] : sums.waiting)
      add(metric_of(key.second), key.first, ns * kSecondsPerNanosecond);
  }

  void add_cost(const DelayCost& cost) {
    const std::uint32_t lane = view_.selection.lane_of[index(cost.location)];
    if (lane == PageSelection::kNoLane) return;
    lane_ = lane;
    const auto sum = [](const std::vector<double>& by_pattern) {
      return std::accumulate(by_pattern.begin(), by_pattern.end(), 0.0) * kSecondsPerNanosecond;
    };
    add(kDirect, cost.call_path, sum(cost.direct));
    add(kIndirect, cost.call_path, sum(cost.indirect));
    add(kExcess, cost.call_path, cost.excess * kSecondsPerNanosecond);
  }

  std::size_t metric_of(PatternId id) {
    const WaitPattern& found = pattern(id);
    const auto known = std::find_if(profile_.metrics.begin(), profile_.metrics.end(),
                                    [&](const CubeMetric& metric) { return metric.id == found.id; });
    if (known != profile_.metrics.end()) return static_cast<std::size_t>(known - profile_.metrics.begin());
    profile_.metrics.push_back(
        {std::string(found.id), std::string(found.title), "sec", std::string(found.summary), kWaiting, {}});
    return profile_.metrics.size() - 1;
  }

  void add(std::size_t metric, CallPathId path, double value) {
    if (value == 0) return;
    for (; metric != CubeMetric::kTop; metric = profile_.metrics[metric].parent)
      profile_.metrics[metric].values.push_back(
          {tree_.place(path), static_cast<std::uint32_t>(lane_), value});
  }

  // Values of the same place are added up.
  static void merge(std::vector<CubeValue>& values) {
    const auto before = [](const CubeValue& a, const CubeValue& b) {
      return std::pair(a.call_path, a.lane) < std::pair(b.call_path, b.lane);
    };
    std::stable_sort(values.begin(), values.end(), before);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (kept > 0 && !before(values[kept - 1], values[i]))
        values[kept - 1].value += values[i].value;
      else
        values[kept++] = values[i];
    values.resize(kept);
  }

  const ExportView& view_;
  CallTree tree_;
  CubeProfile profile_;
  std::vector<CallSums> lanes_;
  std::size_t lane_ = 0;
};

}  // namespace

CubeProfile cube_profile(const ExportView& view) {
  return ProfileBuilder(view).build();
}

}  // namespace waitdiag
