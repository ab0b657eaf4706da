// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/activities/activities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analyzer/diagnosis/activities/call_tree_paths.hpp"
#include "analyzer/diagnosis/activities/stretch_classes.hpp"

namespace waitdiag {
namespace {

// One occurrence of a segment with this many sampling periods uses only its own samples (relative error about
// 1/5).
constexpr std::uint64_t kEnoughSamples = 20;

// The un-instrumented piece of a part of a gap, as an index into all pieces of the timeline.
std::optional<std::uint32_t> segment_in(const Timeline& timeline, const GapPart& part) {
  const auto pieces = timeline.pieces(part);
  const auto found = std::ranges::find(pieces, kNoCallPath, &ComputationPiece::call_path);
  if (found == pieces.end()) return std::nullopt;
  return part.first_piece + static_cast<std::uint32_t>(found - pieces.begin());
}

}  // namespace

// Builds the segments of one location: first pools by (opening, closing) call path, of whole gaps and of the
// parts that marks divide others into; then the classes within them, and the single occurrences with enough
// samples of their own.
class Activities::LocationSegments {
 public:
  LocationSegments(Activities& all, Location location)
      : all_(all),
        timeline_(all.trace_.timeline(location)),
        of_piece_(all.division_->segment_of_piece[index(location)]),
        first_pool_(static_cast<std::uint32_t>(all.division_->segments.size())) {}

  void build() {
    timeline_.for_each_part([&](const GapPart& part) {
      if (const auto piece = segment_in(timeline_, part)) set(*piece, first_pool_ + pool_of(part));
    });
    const bool sampled = !samples_.empty();
    share_pools();
    if (!sampled) return;
    for (Pool& pool : pools_) pool.occurrences = 0;
    timeline_.for_each_part([&](const GapPart& part) {
      const auto piece = segment_in(timeline_, part);
      if (!piece) return;
      Pool& pool = pools_[of_piece_[*piece] - first_pool_];
      const std::uint32_t number = pool.next_number(part);
      if (pool.of_whole != kNoPool) pools_[pool.of_whole].next_number(part);
      if (samples_in(part) >= kEnoughSamples) {
        set(*piece, static_cast<std::uint32_t>(all_.division_->segments.size()));
        add_segment(timeline_.samples(part));
      } else if (pool.classes) {
        const auto c = pool.classes->of(number, computing(part));
        if (c) set(*piece, pool.first_class + static_cast<std::uint32_t>(*c));
      }
    });
  }

 private:
  struct PooledSample {
    std::uint32_t pool;
    StretchSample sample;
  };
  struct Pool {
    CallPathId opening, closing;
    std::uint32_t of_whole;  // the pool that lends its samples where this one has none
    std::uint32_t occurrences = 0;
    std::optional<StretchClasses> classes{};  // if there are several
    std::uint32_t first_class = 0;            // the segment of the first one

    // Of its occurrences; parts of one gap are one.
    std::uint32_t next_number(const GapPart& part) {
      occurrences += part.first || occurrences == 0 ? 1 : 0;
      return occurrences - 1;
    }
  };

  // Samples divide only the time that the thread was on a processor.
  Duration computing(const GapPart& part) const {
    const auto piece = segment_in(timeline_, part);
    return piece ? timeline_.pieces(part)[*piece - part.first_piece].time : Duration::zero();
  }
  std::uint64_t samples_in(const GapPart& part) const {
    std::uint64_t sum = 0;
    for (const ComputationSample& sample : timeline_.samples(part)) sum += sample.weight;
    return sum;
  }

  void set(std::uint32_t piece, std::uint32_t segment) {
    of_piece_.resize(timeline_.pieces().size());
    of_piece_[piece] = segment;
  }

  std::uint32_t pool_of(const GapPart& part) {
    const std::uint32_t whole = add_to_pool(part, kWholeGaps, kNoPool);
    return part.first && part.last ? whole : add_to_pool(part, part.first + 2 * part.last, whole);
  }

  std::uint32_t add_to_pool(const GapPart& part, std::size_t kind, std::uint32_t of_whole) {
    const auto [entry, is_new] = pool_ids_[kind].try_emplace(timeline_.calls_around(part.gap),
                                                             static_cast<std::uint32_t>(pools_.size()));
    if (is_new)
      pools_.push_back({timeline_.call_before(part.gap), timeline_.call_behind(part.gap), of_whole});
    const std::uint32_t number = pools_[entry->second].next_number(part);
    for (const ComputationSample& sample : timeline_.samples(part))
      samples_.push_back({entry->second, {number, computing(part), sample}});
    return entry->second;
  }

  void share_pools() {
    std::stable_sort(samples_.begin(), samples_.end(),
                     [](const PooledSample& a, const PooledSample& b) { return a.pool < b.pool; });
    auto next = samples_.begin();
    for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
      std::vector<StretchSample> samples;
      for (; next != samples_.end() && next->pool == pool; ++next) samples.push_back(next->sample);
      if (!samples.empty()) {
        add_segment(plain(samples));
        pools_[pool].classes.emplace(std::move(samples));
      } else if (pools_[pool].of_whole != kNoPool) {
        all_.division_->segments.push_back(all_.division_->segments[first_pool_ + pools_[pool].of_whole]);
      } else {
        add_unsampled(pools_[pool]);
      }
    }
    for (Pool& pool : pools_) add_classes(pool);
  }

  void add_classes(Pool& pool) {
    if (pool.classes && pool.classes->size() == 1) pool.classes.reset();
    if (!pool.classes) return;
    pool.first_class = static_cast<std::uint32_t>(all_.division_->segments.size());
    for (std::size_t c = 0; c < pool.classes->size(); ++c) add_segment(plain(pool.classes->samples(c)));
  }

  static std::vector<ComputationSample> plain(std::span<const StretchSample> samples) {
    std::vector<ComputationSample> result;
    for (const StretchSample& sample : samples) result.push_back(sample.sample);
    return result;
  }

  void add_segment(std::span<const ComputationSample> samples) {
    std::vector<ComputationSample> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.call_path < b.call_path; });
    double total = 0;
    for (const ComputationSample& sample : sorted) total += sample.weight;
    PathShares shares;
    for (const ComputationSample& sample : sorted) {
      if (shares.empty() || shares.back().first != sample.call_path) shares.emplace_back(sample.call_path, 0);
      shares.back().second += sample.weight / total;
    }
    all_.division_->set_shares(shares, all_.division_->segments.emplace_back(Segment{.sampled = true}));
  }

  void add_unsampled(const Pool& pool) {
    const PathShares around{{innermost_common_caller(all_.trace_, pool.opening, pool.closing), 1.0}};
    all_.division_->set_shares(around, all_.division_->segments.emplace_back());
  }

  static constexpr std::uint32_t kNoPool = ~std::uint32_t{0};
  static constexpr std::size_t kWholeGaps =
      3;  // a kind of pool; other kinds are of parts: 1 first, 2 last, otherwise 0

  Activities& all_;
  const Timeline& timeline_;
  std::vector<std::uint32_t>& of_piece_;
  std::uint32_t first_pool_;
  std::array<std::unordered_map<std::uint64_t, std::uint32_t>, 4> pool_ids_;  // by kind
  std::vector<Pool> pools_;
  std::vector<PooledSample> samples_;
};

Activities::Activities(const Trace& trace, SamplesOf samples)
    : trace_(trace), call_paths_(trace.call_paths().size()) {
  artificial_.resize(call_paths_);
  for (std::size_t path = 0; path < call_paths_; ++path) {
    artificial_[path] = trace.region(CallPathId(path)).kind == CallKind::Artificial;
  }
  if (trace.has_sites()) {
    for (std::uint32_t path = 0; path < call_paths_; ++path)
      instead_.push_back(trace.without_sites(CallPathId{path}));
  }
  division_->segment_of_piece.resize(trace.timelines().size());
  for (std::size_t l = 0; l < trace.timelines().size(); ++l) LocationSegments(*this, Location(l)).build();
  if (samples == SamplesOf::AllRanks) divide_by_length();
}

void Activities::Division::set_shares(const PathShares& of, Segment& segment) {
  constexpr std::size_t kChunk = std::size_t{1} << 14;
  if (chunks.empty() || chunks.back().size() + of.size() > chunks.back().capacity())
    chunks.emplace_back().reserve(std::max(kChunk, of.size()));
  std::vector<Share>& chunk = chunks.back();
  segment.chunk = static_cast<std::uint32_t>(chunks.size() - 1);
  segment.first_share = static_cast<std::uint32_t>(chunk.size());
  double until = 0;
  std::uint32_t rounded = 0;  // of all until here, so that errors do not add up
  for (std::size_t i = 0; i < of.size(); ++i) {
    until += of[i].second;
    const std::uint32_t next =
        i + 1 == of.size()
            ? Share::kAll
            : static_cast<std::uint32_t>(std::lround(std::clamp(until, 0.0, 1.0) * Share::kAll));
    if (next > rounded) chunk.emplace_back(of[i].first, next - rounded);
    rounded = std::max(rounded, next);
  }
  segment.shares = static_cast<std::uint32_t>(chunk.size()) - segment.first_share;
}

Activities Activities::pooled(std::vector<CallPathId> instead) const {
  Activities result = *this;
  result.instead_ = std::move(instead);
  result.pool_size_.assign(result.call_paths_, 0);
  for (std::uint32_t i = 0; i < result.call_paths_; ++i)
    result.pool_size_[index(result.instead_[i])] +=
        trace_.without_sites(CallPathId{i}) == CallPathId{i} ? 1 : 0;
  return result;
}

std::vector<CallPathId> Activities::pool_of(CallPathId path) const {
  if (path == kNoCallPath || pool_size_.empty() || pool_size_[index(path)] <= 1) return {path};
  std::vector<CallPathId> pool;
  for (std::uint32_t i = 0; i < instead_.size(); ++i)
    if (instead_[i] == path && trace_.without_sites(CallPathId{i}) == CallPathId{i})
      pool.push_back(CallPathId{i});
  return pool;
}

}  // namespace waitdiag
