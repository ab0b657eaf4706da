// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/data_quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "analyzer/summary/report_rows.hpp"
#include "analyzer/trace/model/number_property.hpp"
#include "analyzer/wording/numbers.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {

namespace {

// The samples per second, if all ranks were sampled from begin to end; otherwise nothing.
std::optional<double> sampling_hz(const Trace& trace) {
  const auto& properties = trace.facts().properties;
  const auto sampling = properties.find(waitprof::schema::kSampling);
  const auto hz = number_property(trace, waitprof::schema::kSamplingHz);
  const bool everywhere = sampling != properties.end() && sampling->second != "off" &&
                          !properties.contains(waitprof::schema::kSamplingRanks) &&
                          !properties.contains(waitprof::schema::kProfile);
  return everywhere && hz && *hz > 0 ? std::optional(static_cast<double>(*hz)) : std::nullopt;
}

// The most processor time that a thread can have used: all its time in MPI and in regions of known length,
// plus the time that its samples represent.
double most_seconds(const Timeline& timeline, double hz) {
  Duration known{};
  std::uint64_t samples = 0;
  for (std::uint32_t op = 0; op < timeline.size(); ++op) known += timeline.length(op);
  for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
    for (const ComputationPiece& piece : timeline.pieces(gap))
      if (piece.call_path != kNoCallPath) known += piece.time;
    for (const ComputationSample& sample : timeline.samples(gap)) samples += sample.weight;
  }
  return seconds(known) + static_cast<double>(samples) / hz;
}

}  // namespace

void add_unseen_threads(const Trace& trace, const ResourceUse& use,
                        std::span<const Report::WorkerThreads> workers, Anomalies& anomalies) {
  constexpr double kLeastProcessors = 0.2, kLeastSeconds = 0.2;  // few samples; readings take turns
  const double run = seconds(trace.end() - trace.begin());
  const std::optional<double> hz = sampling_hz(trace);
  if (!hz) return;
  std::vector<double> accounted(trace.ranks(), 0);
  for (std::size_t l = 0; l < trace.locations().size(); ++l)
    accounted[index(trace.locations()[l].rank)] += most_seconds(trace.timelines()[l], *hz);
  for (const Report::WorkerThreads& row : workers)
    accounted[static_cast<std::size_t>(row.rank)] += row.cpu_s.value_or(0);
  const auto unseen = [&](const ResourceUse::OfRank& row) {
    return row.processors * run - accounted[index(row.rank)];
  };
  const double least = std::max(kLeastSeconds, kLeastProcessors * run);
  const auto worst = std::ranges::max_element(use.ranks, {}, unseen);
  if (worst == use.ranks.end() || unseen(*worst) < least) return;
  anomalies.add("unseen_threads", Gravity::Warning,
                fmt::format("rank {} used {} of processor time, of which its recorded threads account for {} "
                            "at most: others computed unseen, such as threads that begin and end between two "
                            "MPI calls",
                            static_cast<int>(worst->rank), format_duration(worst->processors * run),
                            format_duration(accounted[index(worst->rank)])),
                static_cast<std::uint64_t>(
                    std::ranges::count_if(use.ranks, [&](const auto& row) { return unseen(row) >= least; })));
}

}  // namespace waitdiag
