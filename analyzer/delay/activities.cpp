// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/delay/activities.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "analyzer/delay/call_tree_paths.hpp"

namespace waitdiag {
namespace {

// One occurrence of a segment with so many sampling periods speaks for itself (relative error about 1/5).
constexpr std::uint64_t kEnoughSamples = 20;

bool has_segment(const Timeline& timeline, std::size_t gap) {
  const auto pieces = timeline.pieces(gap);
  return std::any_of(pieces.begin(), pieces.end(),
                     [](const ComputationPiece& piece) { return piece.call_path == kNoCallPath; });
}

}  // namespace

// Builds the segments of one location: first pools by (opening, closing) call path, then the single
// occurrences with enough samples of their own.
class Activities::LocationSegments {
 public:
  LocationSegments(Activities& all, Location location)
      : all_(all), timeline_(all.trace_.timeline(location)) {}

  std::vector<std::uint32_t> build() {
    std::vector<std::uint32_t> segment_of_gap;
    for (std::size_t gap = 0; gap < timeline_.gaps(); ++gap) {
      if (!has_segment(timeline_, gap)) continue;
      segment_of_gap.resize(timeline_.gaps(), 0);
      segment_of_gap[gap] = pool_of(gap);
    }
    share_pools();
    for (std::size_t gap = 0; gap < segment_of_gap.size(); ++gap) {
      if (samples_in(gap) < kEnoughSamples || !has_segment(timeline_, gap)) continue;
      segment_of_gap[gap] = static_cast<std::uint32_t>(all_.segments_.size());
      add_segment(timeline_.samples(gap));
    }
    return segment_of_gap;
  }

 private:
  struct PooledSample {
    std::uint32_t pool;
    ComputationSample sample;
  };
  struct Pool {
    CallPathId opening, closing;
  };

  CallPathId opening(std::size_t gap) const {
    return gap == 0 ? kNoCallPath : timeline_.call_path(static_cast<std::uint32_t>(gap - 1));
  }
  CallPathId closing(std::size_t gap) const {
    return gap == timeline_.size() ? kNoCallPath : timeline_.call_path(static_cast<std::uint32_t>(gap));
  }
  std::uint64_t samples_in(std::size_t gap) const {
    std::uint64_t sum = 0;
    for (const ComputationSample& sample : timeline_.samples(gap)) sum += sample.weight;
    return sum;
  }

  std::uint32_t pool_of(std::size_t gap) {
    const std::uint64_t key = std::uint64_t{index(opening(gap))} << 32 | index(closing(gap));
    const auto first = static_cast<std::uint32_t>(all_.segments_.size());
    const auto [entry, is_new] = pool_ids_.try_emplace(key, static_cast<std::uint32_t>(pools_.size()));
    if (is_new) pools_.push_back({opening(gap), closing(gap)});
    for (const ComputationSample& sample : timeline_.samples(gap))
      samples_.push_back({entry->second, sample});
    return first + entry->second;
  }

  void share_pools() {
    std::stable_sort(samples_.begin(), samples_.end(),
                     [](const PooledSample& a, const PooledSample& b) { return a.pool < b.pool; });
    auto next = samples_.begin();
    std::vector<ComputationSample> samples;
    for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
      samples.clear();
      for (; next != samples_.end() && next->pool == pool; ++next) samples.push_back(next->sample);
      if (samples.empty()) {
        add_unsampled(pools_[pool]);
      } else {
        add_segment(samples);
      }
    }
  }

  void add_segment(std::span<const ComputationSample> samples) {
    std::vector<ComputationSample> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.call_path < b.call_path; });
    double total = 0;
    for (const ComputationSample& sample : sorted) total += sample.weight;
    const std::size_t first = all_.shares_.size();
    for (const ComputationSample& sample : sorted) {
      const double share = sample.weight / total;
      if (all_.shares_.size() > first && all_.shares_.back().call_path == sample.call_path) {
        all_.shares_.back().share += share;
      } else {
        all_.shares_.push_back({sample.call_path, share});
      }
    }
    all_.segments_.push_back(
        {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(all_.shares_.size() - first), true});
  }

  void add_unsampled(const Pool& pool) {
    const CallPathId around = innermost_common_caller(all_.trace_, pool.opening, pool.closing);
    all_.segments_.push_back({static_cast<std::uint32_t>(all_.shares_.size()), 1, false});
    all_.shares_.push_back({around, 1.0});
  }

  Activities& all_;
  const Timeline& timeline_;
  std::unordered_map<std::uint64_t, std::uint32_t> pool_ids_;
  std::vector<Pool> pools_;
  std::vector<PooledSample> samples_;
};

Activities::Activities(const Trace& trace) : trace_(trace), call_paths_(trace.call_paths().size()) {
  artificial_.resize(call_paths_);
  for (std::size_t path = 0; path < call_paths_; ++path) {
    artificial_[path] = trace.region(CallPathId(path)).kind == CallKind::Artificial;
  }
  for (std::size_t l = 0; l < trace.timelines().size(); ++l) {
    segment_of_gap_.push_back(LocationSegments(*this, Location(l)).build());
  }
}

}  // namespace waitdiag
