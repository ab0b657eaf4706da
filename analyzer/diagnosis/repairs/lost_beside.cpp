// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/repairs/lost_beside.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

struct Times {
  Duration ran{}, lost{};
};

// Who is blocked needs no processor.
Times in_gap(const Trace& trace, const Timeline& timeline, std::uint32_t gap) {
  Times times{.ran = timeline.gap_end(gap) - timeline.gap_begin(gap)};
  for (const ComputationPiece& piece : timeline.pieces(gap)) {
    const auto off = piece.call_path == kNoCallPath ? std::nullopt : trace.region(piece.call_path).off();
    if (off) times.ran -= piece.time;
    if (off == OffReason::Preempted) times.lost += piece.time;
  }
  return times;
}

void add_at(const Trace& trace, const StalledCalls& stalled, const Dependencies& dependencies,
            Location location, std::vector<Saving>& savings) {
  const Timeline& timeline = trace.timeline(location);
  const auto stalls = stalled.of(location, 0, static_cast<std::uint32_t>(timeline.size()));
  auto stall = stalls.begin();
  for (Saving& saving : savings) {
    Times times;
    if (!saving.in_call) {
      times = in_gap(trace, timeline, saving.op);
    } else {
      while (stall != stalls.end() && stall->op < saving.op) ++stall;
      if (stall == stalls.end() || stall->op != saving.op) continue;
      const Duration own = dependencies.own(dependencies.graph().node({location, saving.op}));
      times.lost = std::min(stall->time.taken, own);
      times.ran = own - times.lost;
    }
    if (times.ran <= Duration::zero() || times.lost <= Duration::zero()) continue;
    const double part =
        std::min(1.0, static_cast<double>(saving.time.count()) / static_cast<double>(times.ran.count()));
    saving.time += Duration(std::llround(part * static_cast<double>(times.lost.count())));
  }
}

// Not what waited outside of the processor.
bool ran_on_processor(const Trace& trace, CallPathId path) {
  return path == kNoCallPath || !trace.region(path).off();
}

}  // namespace

void add_lost_beside(const Trace& trace, const StalledCalls& stalled, const Dependencies& dependencies,
                     std::span<const CallPathId> causes, std::vector<Change>& changes) {
  for_each_index(changes.size(), [&](std::size_t i) {
    if (!ran_on_processor(trace, causes[i])) return;
    for (std::uint32_t l = 0; l < changes[i].savings.size(); ++l)
      add_at(trace, stalled, dependencies, Location(l), changes[i].savings[l]);
  });
}

}  // namespace waitdiag
