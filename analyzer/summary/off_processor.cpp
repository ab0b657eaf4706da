// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/report_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

// "ranks 0-2 share 2 processors of n01", where they have to.
std::string sharing(const Trace& trace, std::size_t rank) {
  const LocationInfo& here = trace.place_of(Rank(static_cast<std::int32_t>(rank)));
  std::vector<std::int64_t> on_core, on_node;
  for (std::size_t other = 0; other < trace.ranks(); ++other) {
    const LocationInfo& there = trace.place_of(Rank(static_cast<std::int32_t>(other)));
    if (there.node != here.node) continue;
    on_node.push_back(static_cast<std::int64_t>(other));
    if (here.on_core_of(there)) on_core.push_back(static_cast<std::int64_t>(other));
  }
  const std::string node = here.node.empty() ? "" : " of " + here.node;
  if (on_core.size() > 1) return fmt::format("ranks {} share one core{}", format_ranks(on_core), node);
  if (here.node_processors == 0 || on_node.size() <= here.node_processors) return "";
  return fmt::format("ranks {} share {}{}", format_ranks(on_node), plural(here.node_processors, "processor"),
                     node);
}

std::uint64_t bytes_moved(const Trace& trace, CallPathId call) {
  std::uint64_t bytes = 0;
  for (const Timeline& timeline : trace.timelines())
    for (const LibraryBytes& moved : timeline.library_bytes())
      if (trace.without_sites(moved.call_path) == call) bytes += moved.bytes;
  return bytes;
}

// By WaitedFor.
constexpr double Report::OffProcessor::*kOfWait[] = {
    &Report::OffProcessor::io_s, &Report::OffProcessor::sleep_s, &Report::OffProcessor::threads_s,
    &Report::OffProcessor::processes_s, &Report::OffProcessor::signals_s};

constexpr std::size_t index_of(WaitedFor what) {
  return static_cast<std::size_t>(what);
}

void add_piece(const Trace& trace, const ComputationPiece& piece, OffReason off, Report::OffProcessor& row) {
  switch (off) {
    case OffReason::Blocked:
      row.blocked_s += seconds(piece.time);
      row.blocked += piece.visits;
      if (const auto what = trace.waited_for(piece.call_path))
        row.*kOfWait[index_of(*what)] += seconds(piece.time);
      break;
    case OffReason::Preempted:
      row.preempted_s += seconds(piece.time);
      row.preempted += piece.visits;
      break;
    case OffReason::PageFault:
      row.page_faults_s += seconds(piece.time);
      row.page_faults += piece.visits;
      break;
    case OffReason::Unknown:
      row.perhaps_s += seconds(piece.time);
  }
}

}  // namespace

void add_off_processor(const Trace& trace, const StalledCalls& stalled, Report& report) {
  std::vector<Report::OffProcessor> rows(trace.ranks());
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    Report::OffProcessor& row = rows[index(trace.rank(Location(l)))];
    const Timeline& timeline = trace.timelines()[l];
    for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
      for (const ComputationPiece& piece : timeline.pieces(gap)) {
        if (piece.call_path == kNoCallPath) continue;
        if (const auto off = trace.region(piece.call_path).off()) add_piece(trace, piece, *off, row);
      }
    }
    for (const StalledCalls::Stall& stall :
         stalled.of(Location(l), 0, static_cast<std::uint32_t>(timeline.size()))) {
      row.preempted_in_mpi_s += seconds(stall.time.taken);
      row.preempted_in_mpi += stall.time.taken > Duration::zero() ? 1 : 0;
    }
  }
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    rows[rank].rank = static_cast<std::int64_t>(rank);
    const Report::OffProcessor& row = rows[rank];
    if (row.blocked_s + row.preempted_s + row.preempted_in_mpi_s + row.perhaps_s + row.page_faults_s > 0)
      report.off_processor.push_back(row);
  }
}

std::string why_off_processor(const Trace& trace, const CallPathSpread& spread,
                              const std::vector<std::size_t>& late_ranks) {
  if (spread.call_path == kNoCallPath) return "";
  const Region& region = trace.region(spread.call_path);
  const auto off = region.off();
  if (!off) return "";
  std::vector<std::int64_t> who;
  double time = 0, turns = 0;
  for (std::size_t rank = 0; rank < spread.rank_time.size(); ++rank) {
    const bool late = late_ranks.empty() || std::ranges::find(late_ranks, rank) != late_ranks.end();
    if (!late || spread.rank_time[rank] <= 0) continue;
    who.push_back(static_cast<std::int64_t>(rank));
    time += spread.rank_time[rank];
    turns += spread.rank_visits[rank];
  }
  const std::string how_much =
      fmt::format("for {} on {} {} ({})", format_duration(time / kSecond), who.size() == 1 ? "rank" : "ranks",
                  format_ranks(who), plural(static_cast<std::uint64_t>(turns + 0.5), "time"));
  if (*off == OffReason::Preempted) {
    const std::string shared = who.empty() ? "" : sharing(trace, static_cast<std::size_t>(who.front()));
    return fmt::format("Other threads had the processor {}{}{}.", how_much, shared.empty() ? "" : "; ",
                       shared);
  }
  if (*off == OffReason::PageFault)
    return fmt::format("It did not compute but waited for pages that it touched, from a disk, {}.", how_much);
  if (*off == OffReason::Unknown)
    return fmt::format("Not known whether it was on a processor {}: too many switches to note down.",
                       how_much);
  const CallPathId caller = trace.call_paths()[index(spread.call_path)].parent;
  if (caller != kNoCallPath && trace.region(caller).library) {
    const std::uint64_t bytes = bytes_moved(trace, caller);
    return fmt::format("It did not compute but waited in {} {}{}.", trace.region(caller).name, how_much,
                       bytes > 0 ? "; " + format_bytes(bytes) + " moved by all ranks" : "");
  }
  return fmt::format(
      "It did not compute but waited for something (a file, a sleep, a lock, another process) {}{}.",
      how_much,
      region.name == kBlockedBelowRegion
          ? "; which of the functions it called did is not known, marked regions or "
            "WAITPROF_SAMPLING=wall would tell"
          : "");
}

}  // namespace waitdiag
