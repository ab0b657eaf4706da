// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/joined_polls.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analyzer/trace/derived/joined_calls.hpp"
#include "analyzer/trace/sync/calls_of_requests.hpp"
#include "analyzer/trace/sync/idle_gaps.hpp"
#include "analyzer/trace/sync/polling.hpp"
#include "analyzer/trace/sync/window_polls.hpp"

namespace waitdiag {
namespace {
constexpr double kNowhereElse = 2.0 / 3;  // of a function's time lies in pauses
constexpr double kMostOfPauses = 0.5;     // are functions of that kind
constexpr double kAround = 0.1;           // of what runs in pauses also runs behind the last poll: work
constexpr int kHardly = 10;               // a tenth of a gap asleep is hardly asleep
constexpr double kRowsThatTell = 4;       // of fewer it is chance that no piece of work was left
constexpr double kPieces = 0.25;          // or, before the first one, as long as that share of a pause

// What ran: time where that is known, samples where it is not. Both in nanoseconds, or both in samples; only
// shares of each kind are ever compared.
using Amounts = std::unordered_map<std::uint64_t, double>;
double amount_of(const Amounts& amounts, std::uint64_t what) {
  return amounts.contains(what) ? amounts.at(what) : 0;
}

class Pauses {
 public:
  explicit Pauses(const Trace& trace) : trace_(trace), rows_(trace.timelines().size()) {
    if (std::ranges::any_of(trace.regions(), [](const Region& region) { return is_poll(region.kind); })) {
      for (std::uint32_t l = 0; l < rows_.size(); ++l) find_rows(Location(l));
      if (!places_.empty()) keep_real_ones();
    }
    add_rows_at_windows(trace, rows_);
  }

  const std::vector<RowOfPolls>& rows(Location location) const { return rows_[index(location)]; }
  bool any() const {
    return std::ranges::any_of(rows_, [](const auto& rows) { return !rows.empty(); });
  }

 private:
  void find_rows(Location location) {
    const Timeline& timeline = trace_.timeline(location);
    const CallsOfRequests requests(timeline);
    // Of probes and MPI_Request_get_status the call behind them tells: only what it takes was surely looked for.
    const auto found = [&](std::uint32_t op) {
      const CallKind kind = trace_.kind({location, op});
      if (is_test(kind)) return bool(requests.completes[op]);
      return op + 1 < timeline.size() &&
             (kind == CallKind::Iprobe ? requests.posts[op + 1] : requests.completes[op + 1]);
    };
    const auto in_vain = [&](std::uint32_t op) {
      const CallKind kind = trace_.kind({location, op});
      return is_test(kind) ? !requests.completes[op] : is_poll(kind);
    };
    for (std::uint32_t op = 0; op + 1 < timeline.size(); ++op) {
      const std::uint32_t first = op;
      Duration longest{};                 // of the pauses
      std::size_t pauses = 0, close = 0;  // close: polls that followed each other at once
      // At the same place. A loop that asks for several things does so elsewhere, at once; and where it found
      // something there, the poll behind the last pause may be one that found nothing and was left out.
      const auto goes_on = [&] {
        if (!in_vain(op) || op + 1 == timeline.size() || has_mark(timeline, op + 1)) return false;
        if (timeline.call_path(op + 1) == timeline.call_path(first)) return true;
        const Duration gap = timeline.enter(op + 1) - timeline.leave(op);
        return is_poll(trace_.kind({location, op + 1})) &&
               trace_.kind({location, op}) != CallKind::GetStatus &&
               (gap <= kBetweenPolls || (pauses > 0 && found(op + 1) &&
                                         is_like_pauses(trace_, timeline, {first + 1, op + 1}, longest)));
      };
      for (; goes_on(); ++op) {
        const Duration gap = timeline.enter(op + 1) - timeline.leave(op);
        if (gap > kBetweenPolls) {
          ++pauses;
          longest = std::max(longest, gap);
        } else if (timeline.call_path(op + 1) == timeline.call_path(op)) {
          ++close;
        }
        if (timeline.is_row_of_polls(op)) ++close;
      }
      // A single gap in a row of many polls is work that the polling was interrupted for.
      const bool asks_with_pauses = pauses > 1 || (pauses == 1 && close == 0);
      if (op > first && asks_with_pauses && found(op)) add(location, {first, op});
      if (op > first && pauses > 0 && in_vain(op) && is_last_of_thread(location, op, 2 * longest))
        add(location, {first, op, true});
      if (op > first && in_vain(op)) --op;  // another row may begin here
    }
    add_needless_sleep(location, requests);
  }

  // Asleep between tests at the same place while there is nothing to test for.
  void add_needless_sleep(Location location, const CallsOfRequests& requests) {
    const Timeline& timeline = trace_.timeline(location);
    for (std::uint32_t op = 0; op + 1 < timeline.size(); ++op) {
      const CallPathId place = timeline.call_path(op);
      const bool needless = requests.open_behind[op] == 0 && is_test(trace_.kind({location, op}));
      if (needless && timeline.call_path(op + 1) == place)
        needless_sleep_[place] += idle_in(trace_, timeline, op + 1, IdleTime::Asleep);
    }
  }

  // The thread sees that it is to end, after no more than `longest`. Not so the thread that initialised MPI.
  bool is_last_of_thread(Location location, std::uint32_t op, Duration longest) const {
    const Timeline& timeline = trace_.timeline(location);
    if (location == trace_.main_location(trace_.rank(location))) return false;
    const bool is_last =
        op + 1 == timeline.size() || trace_.region(timeline.call_path(op + 1)).name == kNoThreadRegion;
    return is_last && timeline.gap_end(op + 1) - timeline.gap_begin(op + 1) <= longest;
  }

  static bool has_mark(const Timeline& timeline, std::uint32_t gap) {
    return std::ranges::binary_search(timeline.step_marks(), gap, {}, &StepMark::op);
  }

  void add(Location location, RowOfPolls row) {
    const Timeline& timeline = trace_.timeline(location);
    OfPlace& place = places_[timeline.call_path(row.first)];
    rows_[index(location)].push_back(row);
    place.rows += 1;
    place.pauses += row.last_pause() - row.first;
    for_each_in_gap(trace_, timeline, row.first,
                    [&](std::uint64_t what, double amount) { place.before[what] += amount; });
    for (std::uint32_t gap = row.first + 1; gap <= row.last_pause(); ++gap) {
      place.time += timeline.gap_end(gap) - timeline.gap_begin(gap);
      place.asleep += idle_in(trace_, timeline, gap, IdleTime::Asleep);
      for_each_in_gap(trace_, timeline, gap, [&](std::uint64_t what, double amount) {
        place.between[what] += amount;
        inside_[what] += amount;
        if (gap == row.last_pause()) place.last[what] += amount;
      });
    }
    if (row.in_vain) return;
    // Behind a probe its receive comes first.
    const bool received_next = !is_test(trace_.kind({location, row.last})) && row.last + 2 < timeline.gaps();
    for (std::uint32_t gap = row.last + 1; gap <= row.last + (received_next ? 2 : 1); ++gap)
      for_each_in_gap(trace_, timeline, gap,
                      [&](std::uint64_t what, double amount) { place.behind[what] += amount; });
  }

  void keep_real_ones() {
    for (const auto& [call_path, place] : places_)
      for (const auto& [what, amount] : place.before)
        if (place.is_ended_by_poll(what)) inside_[what] += amount;
    Amounts all;
    for (const Timeline& timeline : trace_.timelines())
      for (std::uint32_t gap = 0; gap < timeline.gaps(); ++gap)
        for_each_in_gap(trace_, timeline, gap, [&](std::uint64_t what, double amount) {
          if (inside_.contains(what)) all[what] += amount;
        });
    std::vector<std::vector<RowOfPolls>> shorter(rows_.size());
    for (std::uint32_t l = 0; l < rows_.size(); ++l)
      std::erase_if(rows_[l], [&](const RowOfPolls& row) {
        const Timeline& timeline = trace_.timelines()[l];
        const OfPlace& place = places_.at(timeline.call_path(row.first));
        const bool work = is_work(timeline.call_path(row.first), all);
        if (!work && place.asleep == Duration::zero()) return false;
        const auto rest = work ? behind_work(timeline, row, place, all) : behind_waking(timeline, row);
        if (rest && rest->first == row.first) return false;
        if (rest) shorter[l].push_back(*rest);
        return true;
      });
    keep_shorter(shorter, all);
  }

  // What is left of rows that begin with work: it may be work as well.
  void keep_shorter(const std::vector<std::vector<RowOfPolls>>& shorter, const Amounts& all) {
    const auto rows = rows_;
    places_.clear();
    inside_.clear();
    for (std::uint32_t l = 0; l < rows_.size(); ++l)
      for (const RowOfPolls& row : shorter[l]) add(Location(l), row);
    for (std::uint32_t l = 0; l < rows_.size(); ++l) {
      std::erase_if(rows_[l], [&](const RowOfPolls& row) {
        const bool before = std::ranges::binary_search(rows[l], row.first, {}, &RowOfPolls::first);
        return !before && is_work(trace_.timelines()[l].call_path(row.first), all);
      });
      std::ranges::sort(rows_[l], {}, &RowOfPolls::first);
    }
  }

  struct OfPlace {
    Amounts before, between, behind, last;  // last: before the poll that found something
    double rows = 0, pauses = 0;
    Duration time{}, asleep{};  // of the pauses
    // It runs before the last poll as before the first one, and no more once that found something: whatever it is, it
    // goes on until then (`do { pause(); MPI_Test(...); } while (!done)`). Of work, other pieces would be left.
    bool is_ended_by_poll(std::uint64_t what) const {
      const double at_end = amount_of(last, what);
      return rows >= kRowsThatTell && at_end > 0 && at_end >= kMostOfPauses * amount_of(before, what) &&
             amount_of(behind, what) < kAround * at_end;
    }
  };
  // What is known of a gap between polls, and how much of that is work: code that also runs outside of such gaps.
  struct KnownOfGap {
    double work = 0, all = 0;
    bool is_work() const { return all > 0 && 2 * work >= all; }
  };
  KnownOfGap known_of(const Timeline& timeline, std::uint32_t gap, const OfPlace& place,
                      const Amounts& all) const {
    KnownOfGap of_kind[2];
    for_each_in_gap(trace_, timeline, gap, [&](std::uint64_t what, double amount) {
      const bool works = (place.before.contains(what) && !place.is_ended_by_poll(what)) ||
                         place.behind.contains(what) || inside_.at(what) < kNowhereElse * all.at(what);
      of_kind[what & 1].all += amount;
      if (works) of_kind[what & 1].work += amount;
    });
    return of_kind[0].all > 0 ? of_kind[0] : of_kind[1];
  }

  // Where the thread sleeps between polls: those behind the last time that it did not.
  std::optional<RowOfPolls> behind_waking(const Timeline& timeline, const RowOfPolls& row) const {
    for (std::uint32_t gap = row.last_pause(); gap > row.first; --gap) {
      const Duration length = timeline.gap_end(gap) - timeline.gap_begin(gap);
      if (length <= kBetweenPolls || kHardly * idle_in(trace_, timeline, gap, IdleTime::Any) >= length)
        continue;
      return gap == row.last_pause() ? row : RowOfPolls{gap, row.last, row.in_vain};
    }
    return row;
  }

  // The polls behind the last piece of work that the thread did meanwhile; none: there are no pauses, or nobody can tell.
  // Between two samples, lengths tell: a pause is not longer than twice the longest behind it.
  std::optional<RowOfPolls> behind_work(const Timeline& timeline, const RowOfPolls& row, const OfPlace& place,
                                        const Amounts& all) const {
    const auto length = [&](std::uint32_t gap) { return timeline.gap_end(gap) - timeline.gap_begin(gap); };
    Duration longest{}, shortest_work = Duration::max();
    std::uint32_t begin = row.last_pause() + 1;  // of the pauses
    bool known = false;
    for (std::uint32_t gap = row.last_pause(); gap > row.first; --gap) {
      const KnownOfGap of_gap = known_of(timeline, gap, place, all);
      const bool pauses_here = begin == gap + 1 && !of_gap.is_work() &&
                               (of_gap.all > 0 || longest == Duration::zero() || length(gap) <= 2 * longest);
      if (pauses_here) {
        begin = gap;
        longest = std::max(longest, length(gap));
        known = known || of_gap.all > 0;
      } else if (of_gap.is_work()) {
        shortest_work = std::min(shortest_work, length(gap));
      }
    }
    if (begin > row.last_pause() || begin == row.first + 1 || shortest_work == Duration::max())
      return std::nullopt;
    if (!known && 2 * longest > shortest_work) return std::nullopt;
    return RowOfPolls{begin - 1, row.last, row.in_vain};
  }

  // Who sleeps works nowhere, unless it sleeps there without waiting for anything, too: it waits for a device, or stands
  // for work. Where there are exact times, they say more than samples.
  bool is_work(CallPathId polls, const Amounts& all) const {
    const OfPlace& place = places_.at(polls);
    if (2 * place.asleep >= place.time) {
      const auto needless = needless_sleep_.find(polls);
      return needless != needless_sleep_.end() && static_cast<double>(needless->second.count()) >=
                                                      kAround * static_cast<double>(place.asleep.count());
    }
    double sum[2] = {}, only_here[2] = {}, before[2] = {}, behind[2] = {};
    for (const auto& [what, amount] : place.between) {
      const std::size_t kind = what & 1;
      sum[kind] += amount;
      if (inside_.at(what) >= kNowhereElse * all.at(what)) only_here[kind] += amount;
      behind[kind] += std::min(amount, amount_of(place.behind, what));
      if (!place.is_ended_by_poll(what)) before[kind] += amount_of(place.before, what);
    }
    const std::size_t kind = sum[0] > 0 ? 0 : 1;
    if (sum[kind] == 0) return false;  // nothing ran there
    return before[kind] / place.rows >= kPieces * sum[kind] / place.pauses ||
           only_here[kind] < kMostOfPauses * sum[kind] || behind[kind] >= kAround * sum[kind];
  }

  const Trace& trace_;
  std::vector<std::vector<RowOfPolls>> rows_;        // by location, in time order
  Amounts inside_;                                   // what ran in all of them together
  std::map<CallPathId, OfPlace> places_{};           // by place of the polls
  std::map<CallPathId, Duration> needless_sleep_{};  // the same
};

}  // namespace

class Retiming::JoiningPolls {
 public:
  static Trace run(const Trace& trace) {
    const Pauses pauses(trace);
    Trace result(trace);
    std::uint64_t joined = 0;
    for (std::uint32_t l = 0; l < result.timelines_.size(); ++l) {
      const std::vector<RowOfPolls>& rows = pauses.rows(Location(l));
      for (const RowOfPolls& row : rows) joined += row.pauses();
      if (!rows.empty()) JoiningPolls(trace, result.timelines_[l], rows).join();
    }
    result.anomalies_.add("pauses_between_polls", Gravity::Info,
                          "pauses between two polls that found nothing count as waiting, not as computation",
                          joined);
    return result;
  }

 private:
  JoiningPolls(const Trace& trace, Timeline& timeline, const std::vector<RowOfPolls>& rows)
      : trace_(trace), timeline_(timeline), rows_(rows) {}

  void join() {
    number_calls();
    leave_out_looks();
    std::vector<PollRecord> polls = polls_of_rows();
    for (const RowOfPolls& row : rows_) {
      if (row.pause_behind > Duration::zero()) take_pause_behind(row);
      timeline_.leave_[row.first] = row.with_last && !row.in_vain
                                        ? timeline_.leave(row.last) + row.pause_behind
                                        : timeline_.gap_end(row.last_pause());
    }
    timeline_.polls_.clear();
    Joining::join(timeline_, number_, gap_is_empty_);
    timeline_.polls_ = std::move(polls);
  }

  void take_pause_behind(const RowOfPolls& row) {
    const auto [first, last] = timeline_.piece_offset_.row(row.last + 1);
    for (std::uint32_t i = first; i < last; ++i) {
      ComputationPiece& piece = timeline_.pieces_[i];
      const bool pauses = piece.call_path != kNoCallPath && is_asleep(trace_, piece.call_path) &&
                          sleeps_like(trace_, timeline_, row.like_gap, piece);
      if (pauses) piece.time = Duration::zero();
    }
  }

  // By call, and one more: its number afterwards. All calls of a row but the one that found something become one.
  void number_calls() {
    std::uint32_t next = 0;
    auto row = rows_.begin();
    for (std::uint32_t op = 0; op <= timeline_.size(); ++op) {
      while (row != rows_.end() && row->last_pause() < op) ++row;
      const bool goes_on = row != rows_.end() && op > row->first && op <= row->one_call();
      number_.push_back(goes_on ? next - 1 : next++);
      gap_is_empty_.push_back(row != rows_.end() && op > row->first);
    }
  }

  // One call of one-sided communication is none of its many accesses.
  void leave_out_looks() {
    std::erase_if(timeline_.rma_, [&](const RmaRecord& record) {
      const auto row = std::ranges::upper_bound(rows_, record.op, {}, &RowOfPolls::first);
      return row != rows_.begin() && record.op <= std::prev(row)->one_call();
    });
  }

  std::vector<PollRecord> polls_of_rows() const {
    std::map<std::uint32_t, PollRecord> polls;  // by new number
    for (const RowOfPolls& row : rows_) {
      const std::uint32_t op = number_[row.first];
      polls[op] = {row.looks - 1, op, row.with_last ? timeline_.enter(row.last_in_vain) : Time{}};
    }
    for (const PollRecord& poll : timeline_.polls_) {
      PollRecord& here = polls[number_[poll.op]];
      here.op = number_[poll.op];
      here.in_vain += poll.in_vain;
    }
    std::vector<PollRecord> result;
    for (const auto& [op, poll] : polls) result.push_back(poll);
    return result;
  }

  const Trace& trace_;  // before
  Timeline& timeline_;
  const std::vector<RowOfPolls>& rows_;
  std::vector<std::uint32_t> number_;  // by call
  std::vector<bool> gap_is_empty_;     // by gap
};

bool has_pauses_between_polls(const Trace& trace) {
  return Pauses(trace).any();
}

Trace joined_polls(const Trace& trace) {
  return Retiming::JoiningPolls::run(trace);
}

}  // namespace waitdiag
