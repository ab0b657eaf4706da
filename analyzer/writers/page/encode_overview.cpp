// The whole window in miniature: what every lane did in each of a few thousand equal parts of it. The page
// derives coarser pictures itself.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "analyzer/writers/page/colour_class.hpp"
#include "analyzer/writers/page/encode.hpp"
#include "analyzer/writers/page/gap_paths.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kMostCells = 1 << 20, kMostParts = 8192, kLeastParts = 256;
constexpr std::size_t kShownCauses = 6;  // as in share/web/data/model.ts

// Codes: kinds of calls; waiting for another cause; waiting for an unknown one; and for each shown cause,
// waiting for it and the cause itself.
constexpr std::size_t kOtherCause = kColourClasses, kCauseUnknown = kOtherCause + 1,
                      kFirstCause = kCauseUnknown + 1;
constexpr std::size_t kCodes = kFirstCause + 2 * kShownCauses;
// Of the same time, not on a processor.
constexpr std::size_t kBlocked = kCodes, kTaken = kBlocked + 1, kLayers = kTaken + 1;

class CodeOf {
 public:
  CodeOf(const Trace& trace, const std::vector<std::vector<CallPathId>>& causes)
      : own_(trace.call_paths().size()), waiting_(trace.call_paths().size(), kOtherCause) {
    for (std::size_t path = 0; path < own_.size(); ++path)
      own_[path] =
          static_cast<std::size_t>(colour_class(trace.regions()[index(trace.call_paths()[path].region)]));
    for (std::size_t cause = 0; cause < std::min(causes.size(), kShownCauses); ++cause) {
      for (const CallPathId path : causes[cause]) {
        waiting_[index(path)] = kFirstCause + 2 * cause;
        own_[index(path)] = kFirstCause + 2 * cause + 1;
      }
    }
  }
  std::size_t own(CallPathId path) const { return path == kNoCallPath ? 0 : own_[index(path)]; }
  std::size_t waiting(CallPathId culprit) const {
    return culprit == kNoCallPath ? kCauseUnknown : waiting_[index(culprit)];
  }

 private:
  std::vector<std::size_t> own_, waiting_;  // by call path
};

// In hundredths of a part's time in its row's lanes.
struct OverviewColumns {
  Column counts, codes, shares;
  Column off_parts, blocked, taken;  // only where there is some; parts as differences
  std::uint64_t parts_since_off = 0;

  void add_off(std::uint64_t share_blocked, std::uint64_t share_taken) {
    off_parts.add(parts_since_off);
    parts_since_off = 0;
    blocked.add(share_blocked);
    taken.add(share_taken);
  }
};

// Time of one row by part of the window and code.
class OverviewRow {
 public:
  OverviewRow(Time begin, Time end, std::size_t parts)
      : begin_(begin),
        part_(static_cast<double>((end - begin).count()) / static_cast<double>(parts)),
        parts_(parts),
        time_(parts * kLayers) {}

  // `share`: of the time from `from` to `to`.
  void add(Time from, Time to, std::size_t code, double share = 1) {
    const double most = part_ * static_cast<double>(parts_);
    const double begin = std::clamp(static_cast<double>((from - begin_).count()), 0.0, most);
    const double end = std::clamp(static_cast<double>((to - begin_).count()), 0.0, most);
    if (end <= begin) return;
    const std::size_t first = part_at(begin), last = part_at(end);
    if (first == last) {
      at(first, code) += share * (end - begin);
      return;
    }
    at(first, code) += share * (part_ * static_cast<double>(first + 1) - begin);
    for (std::size_t part = first + 1; part < last; ++part) at(part, code) += share * part_;
    at(last, code) += share * (end - part_ * static_cast<double>(last));
  }

  void encode(std::size_t lanes, OverviewColumns& columns) {
    const double whole = part_ * static_cast<double>(lanes);
    for (std::size_t part = 0; part < parts_; ++part, ++columns.parts_since_off) {
      std::uint64_t count = 0;
      for (std::size_t code = 0; code < kCodes; ++code) {
        const std::uint64_t share = hundredths(part, code, whole);
        if (share == 0) continue;
        ++count;
        columns.codes.add(code);
        columns.shares.add(share);
      }
      columns.counts.add(count);
      const std::uint64_t blocked = hundredths(part, kBlocked, whole),
                          taken = hundredths(part, kTaken, whole);
      if (blocked + taken > 0) columns.add_off(blocked, taken);
    }
    std::fill(time_.begin(), time_.end(), 0);
  }

 private:
  std::size_t part_at(double time) const {
    return std::min(parts_ - 1, static_cast<std::size_t>(time / part_));
  }
  double& at(std::size_t part, std::size_t code) { return time_[part * kLayers + code]; }
  std::uint64_t hundredths(std::size_t part, std::size_t code, double whole) {
    return static_cast<std::uint64_t>(std::max(0LL, std::llround(100 * at(part, code) / whole)));
  }

  Time begin_;
  double part_;  // nanoseconds
  std::size_t parts_;
  std::vector<double> time_;
};

// It is not known when in the gap: evenly.
void add_off_processor(const Trace& trace, const Timeline& timeline, std::uint32_t gap, OverviewRow& row) {
  const Time begin = timeline.gap_begin(gap), end = timeline.gap_end(gap);
  if (begin >= end) return;
  for (const ComputationPiece& piece : timeline.pieces(gap)) {
    if (piece.call_path == kNoCallPath) continue;
    const auto off = trace.region(piece.call_path).off();
    const double share = static_cast<double>(piece.time.count()) / static_cast<double>((end - begin).count());
    if (off) row.add(begin, end, *off == OffReason::Preempted ? kTaken : kBlocked, share);
  }
}

void add_lane(const Trace& trace, const Diagnosis& diagnosis, const PageSelection::Lane& lane,
              const CodeOf& code_of, OverviewRow& row) {
  const Timeline& timeline = trace.timeline(lane.location);
  GapPaths in_gaps(diagnosis.by_call_path.activities, diagnosis.compared().activities);
  const std::span<const WaitState> waits = diagnosis.states.waits_of(lane.location);
  auto wait = std::partition_point(waits.begin(), waits.end(),
                                   [&](const WaitState& w) { return w.victim.op < lane.first_op; });
  for (std::uint32_t op = lane.first_op; op <= lane.last_op; ++op) {
    row.add(timeline.gap_begin(op), timeline.gap_end(op), code_of.own(in_gaps.longest(lane.location, op)));
    add_off_processor(trace, timeline, op, row);
    if (op == lane.last_op) break;
    Time from = timeline.enter(op);
    const Time leave = timeline.leave(op);
    for (; wait != waits.end() && wait->victim.op == op; ++wait) {
      if (!pattern(wait->pattern).waiting) continue;
      const Time to = std::min(leave, from + wait->wait);
      const auto number = static_cast<std::size_t>(&*wait - diagnosis.states.waits.data());
      row.add(from, to, code_of.waiting(diagnosis.costs.culprits[number].call_path));
      from = to;
    }
    row.add(from, leave, code_of.own(timeline.call_path(op)));
  }
}

}  // namespace

void encode_overview(const Trace& trace, const Diagnosis& diagnosis, const PageSelection& selection,
                     const std::vector<std::vector<CallPathId>>& causes, Columns& columns) {
  const std::size_t lanes = selection.lanes.size();
  const std::size_t lanes_per_row = (lanes * kLeastParts + kMostCells - 1) / kMostCells;
  const std::size_t rows = (lanes + lanes_per_row - 1) / lanes_per_row;
  const std::size_t parts = std::min(kMostParts, std::bit_floor(kMostCells / rows));
  const CodeOf code_of(trace, causes);
  OverviewRow row(selection.begin, selection.end, parts);
  OverviewColumns all;
  for (std::size_t first = 0; first < lanes; first += lanes_per_row) {
    const std::size_t last = std::min(lanes, first + lanes_per_row);
    for (std::size_t lane = first; lane < last; ++lane)
      add_lane(trace, diagnosis, selection.lanes[lane], code_of, row);
    row.encode(last - first, all);
  }
  columns.add("overview_entries", all.counts);
  columns.add("overview_code", all.codes);
  columns.add("overview_share", all.shares);
  columns.add("overview_off_part", all.off_parts);
  columns.add("overview_off_blocked", all.blocked);
  columns.add("overview_off_taken", all.taken);
  const nlohmann::ordered_json facts = {{"from_s", seconds(selection.begin - trace.begin())},
                                        {"to_s", seconds(selection.end - trace.begin())},
                                        {"operations", selection.operations},
                                        {"lanes_per_row", lanes_per_row},
                                        {"rows", rows},
                                        {"parts", parts}};
  columns.add("overview", facts.dump());
}

}  // namespace waitdiag
