// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/dealt_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>

#include "analyzer/scaling/quantity_laws/time_law.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// A call that does nothing but send or receive one message among all ranks, and waits for it.
struct Talk {
  bool sends = false;
  int peer = -1;  // -1: any other call
  Dealt message{};
};

std::vector<Talk> talks_of(const Trace& trace, const Timeline& timeline) {
  std::vector<Talk> talks(timeline.size());
  std::vector<int> records(timeline.size(), 0);
  const auto add = [&](const MessageColumn& ends, bool sends) {
    for (const MessageEnd& end : ends) {
      if (end.posted == kNoOp) continue;
      const bool plain =
          end.posted == end.completed && !end.cancelled && (end.comm == trace.world() || end.comm == kNoComm);
      talks[end.posted] = {sends, plain ? static_cast<int>(end.peer) : -1, {end.tag, end.bytes}};
      ++records[end.posted];
    }
  };
  add(timeline.sends(), true);
  add(timeline.receives(), false);
  for (std::size_t op = 0; op < talks.size(); ++op)
    if (records[op] != 1) talks[op].peer = -1;
  return talks;
}

// The longest row of calls that talk with one rank, or with any (`peer` is -1).
CallRange longest_row(const std::vector<Talk>& talks, int peer) {
  CallRange longest;
  for (std::uint32_t first = 0; first < talks.size();) {
    std::uint32_t last = first;
    while (last < talks.size() && talks[last].peer >= 0 && (peer < 0 || talks[last].peer == peer)) ++last;
    if (last - first > longest.last - longest.first) longest = {first, last};
    first = last + 1;
  }
  return longest;
}

CallPathId longest_path(const Timeline& timeline, std::uint32_t gap) {
  CallPathId path = kNoCallPath;
  Duration most{};
  for (const ComputationPiece& piece : timeline.pieces(gap))
    if (piece.time > most) {
      most = piece.time;
      path = piece.call_path;
    }
  return path;
}

class DealtSearch {
 public:
  explicit DealtSearch(const Trace& trace) : trace_(trace), ranks_(static_cast<int>(trace.ranks())) {
    for (int rank = 0; rank < ranks_; ++rank) talks_.push_back(talks_of(trace_, timeline(rank)));
  }

  std::optional<DealtRun> run() {
    if (ranks_ < 3) return std::nullopt;
    find_master();
    run_.calls.resize(trace_.timelines().size());
    run_.lead_ns.assign(talks_.size(), 0);
    run_.mean_ns.assign(talks_.size(), kAbsent);
    for (int rank = 0; rank < ranks_; ++rank) {
      rows_.push_back(longest_row(talks_[static_cast<std::size_t>(rank)],
                                  rank == run_.how.master ? -1 : run_.how.master));
      const CallRange& row = rows_.back();
      if (row.empty() || row.first != rows_.front().first) return std::nullopt;
      run_.calls[index(trace_.main_location(Rank(rank)))] = row;
      run_.lead_ns[static_cast<std::size_t>(rank)] = gap_ns(rank, row.first);
    }
    run_.how.before = rows_.front().first;
    if (!follow_master() || !follow_workers()) return std::nullopt;
    return std::move(run_);
  }

 private:
  const Timeline& timeline(int rank) const { return trace_.timeline(trace_.main_location(Rank(rank))); }
  double gap_ns(int rank, std::uint32_t gap) const {
    return static_cast<double>((timeline(rank).gap_end(gap) - timeline(rank).gap_begin(gap)).count());
  }
  const std::vector<Talk>& talks(int rank) const { return talks_[static_cast<std::size_t>(rank)]; }
  CallRange row(int rank) const { return rows_[static_cast<std::size_t>(rank)]; }

  void find_master() {
    std::size_t most = 0;
    for (int rank = 0; rank < ranks_; ++rank)
      if (const std::size_t receives = timeline(rank).receives().size(); receives > most) {
        most = receives;
        run_.how.master = rank;
      }
  }

  // Tasks unasked for; a worker's message and the answer to it, again and again; messages without answer; all told.
  bool follow_master() {
    const int master = run_.how.master, workers = ranks_ - 1;
    const std::vector<Talk>& calls = talks(master);
    const std::uint32_t first = row(master).first, last = row(master).last;
    std::uint32_t at = first;
    const auto does = [&](MasterDoes what) {
      if (at == first) return;  // before that: the lead
      computes_[what].push_back(gap_ns(master, at));
      if (run_.master_computes == kNoCallPath) run_.master_computes = longest_path(timeline(master), at);
    };
    for (; at < last && calls[at].sends; ++at) does(MasterDoes::Deals);
    run_.how.workers_ask = at == first;
    if (at != first && at - first != static_cast<std::uint32_t>(workers)) return false;
    double service = std::numeric_limits<double>::max();
    std::uint32_t answers = 0;
    for (; at + 1 < last && !calls[at].sends && calls[at + 1].sends && calls[at].peer == calls[at + 1].peer;
         at += 2) {
      const Timeline& mine = timeline(master);
      does(MasterDoes::Hears);
      const double computed = gap_ns(master, at + 1);
      computes_[MasterDoes::Answers].push_back(computed);
      if (run_.master_computes == kNoCallPath) run_.master_computes = longest_path(timeline(master), at + 1);
      service =
          std::min(service, static_cast<double>((mine.leave(at + 1) - mine.enter(at)).count()) - computed);
      ++answers;
    }
    std::uint32_t unanswered = 0, told = 0;
    for (; at < last && !calls[at].sends; ++at, ++unanswered) does(MasterDoes::Hears);
    for (; at < last && calls[at].sends; ++at, ++told) does(MasterDoes::Tells);
    const auto none_or_all = [&](std::uint32_t count) {
      return count == 0 || count == static_cast<std::uint32_t>(workers);
    };
    run_.how.last_answered = unanswered == 0;
    run_.how.told_in_turn = told > 0;
    run_.service_ns = service;
    for (const auto& [what, computed] : computes_) {
      std::vector<double>& of_rank = run_.master_ns[what];
      of_rank.assign(talks_.size(), kAbsent);
      of_rank[static_cast<std::size_t>(master)] =
          std::accumulate(computed.begin(), computed.end(), 0.0) / static_cast<double>(computed.size());
    }
    constexpr std::uint32_t kTasksOfEach = 2;
    return at == last && none_or_all(unanswered) && none_or_all(told) &&
           answers >= kTasksOfEach * static_cast<std::uint32_t>(workers) && find_paths();
  }

  bool find_paths() {
    const int master = run_.how.master, worker = master == 0 ? 1 : 0;
    for (const bool of_master : {true, false}) {
      const int rank = of_master ? master : worker;
      for (std::uint32_t op = row(rank).first; op < row(rank).last; ++op) {
        CallPathId& path = of_master ? talks(rank)[op].sends ? run_.master_sends : run_.master_receives
                           : talks(rank)[op].sends ? run_.worker_sends
                                                   : run_.worker_receives;
        if (path == kNoCallPath) path = timeline(rank).call_path(op);
      }
    }
    run_.lead = longest_path(timeline(worker), row(worker).first);
    return run_.master_sends != kNoCallPath && run_.worker_sends != kNoCallPath;
  }

  // Of each worker: it gets a task and sends a result, again and again.
  bool follow_workers() {
    std::vector<std::vector<double>> tasks(talks_.size());
    double round_trip = std::numeric_limits<double>::max();
    for (int rank = 0; rank < ranks_; ++rank) {
      if (rank == run_.how.master) continue;
      const std::vector<Talk>& calls = talks(rank);
      const auto [first, last] = row(rank);
      if (calls[first].sends != run_.how.workers_ask) return false;
      if (run_.how.workers_ask) add(run_.how.question, calls[first].message);
      for (std::uint32_t op = first + 1; op < last; ++op) {
        if (calls[op].sends == calls[op - 1].sends) return false;
        if (!calls[op].sends) {
          const Timeline& mine = timeline(rank);
          round_trip =
              std::min(round_trip, static_cast<double>((mine.leave(op) - mine.enter(op - 1)).count()));
          continue;
        }
        add(run_.how.task, calls[op - 1].message);
        add(run_.how.result, calls[op].message);
        tasks[static_cast<std::size_t>(rank)].push_back(gap_ns(rank, op));
        if (run_.computed == kNoCallPath) run_.computed = longest_path(timeline(rank), op);
      }
      if (!calls[last - 1].sends) add(run_.how.no_more, calls[last - 1].message);
    }
    const double answering =
        run_.service_ns + run_.master_ns.at(MasterDoes::Answers)[static_cast<std::size_t>(run_.how.master)];
    run_.way_ns = std::max(0.0, (round_trip - answering) / 2);
    if (!in_order(tasks)) return false;
    double sum = 0;
    for (const double task : run_.tasks_ns) sum += task;
    for (int rank = 0; rank < ranks_; ++rank)
      if (rank != run_.how.master)
        run_.mean_ns[static_cast<std::size_t>(rank)] = sum / static_cast<double>(run_.tasks_ns.size());
    return true;
  }

  struct Sum {
    double bytes = 0, count = 0;
  };
  void add(Dealt& known, const Dealt& message) {
    Sum& sum = sums_[&known];
    sum.bytes += static_cast<double>(message.bytes);
    known = {message.tag, static_cast<std::uint64_t>(sum.bytes / ++sum.count + 0.5)};
  }

  // The order of dealing is that of the master's sends; those that say that there is no more belong to no task.
  bool in_order(const std::vector<std::vector<double>>& tasks) {
    std::vector<std::size_t> next(talks_.size(), 0);
    const auto [first, last] = row(run_.how.master);
    for (std::uint32_t op = first; op < last; ++op) {
      const Talk& talk = talks(run_.how.master)[op];
      if (!talk.sends) continue;
      const auto worker = static_cast<std::size_t>(talk.peer);
      if (next[worker] < tasks[worker].size()) run_.tasks_ns.push_back(tasks[worker][next[worker]++]);
    }
    for (std::size_t rank = 0; rank < tasks.size(); ++rank)
      if (next[rank] != tasks[rank].size()) return false;
    return true;
  }

  const Trace& trace_;
  int ranks_;
  std::vector<std::vector<Talk>> talks_;  // by rank and call
  std::vector<CallRange> rows_;           // by rank
  std::map<const Dealt*, Sum> sums_;
  std::map<MasterDoes, std::vector<double>> computes_;
  DealtRun run_;
};

// In whole figures of each run: for laws of times.
RankFigures figures_of(const std::vector<DealtRun>& runs, std::vector<double> DealtRun::*figure) {
  RankFigures figures;
  for (const DealtRun& run : runs) figures.push_back(run.*figure);
  return figures;
}

class DealtSimulation {
 public:
  DealtSimulation(const Study& study, const std::vector<DealtRun>& runs, int count)
      : run_(runs.back()),
        how_(run_.how),
        ranks_(study.target.ranks),
        count_(count),
        calls_(static_cast<std::size_t>(ranks_)) {
    const std::optional<int> master = how_.place.among(ranks_);
    if (!master)
      throw TraceError(
          fmt::format("with {} ranks there is none at the place of the one that deals tasks", ranks_));
    how_.master = *master;
    const std::vector<Factor> factors = make_factors(study, {});
    const TimeLaw mean(study, {}, factors, figures_of(runs, &DealtRun::mean_ns)),
        lead(study, {}, factors, figures_of(runs, &DealtRun::lead_ns));
    for (int rank = 0; rank < ranks_; ++rank) lead_ns_.push_back(lead.at(rank));
    for (const auto& [what, unused] : run_.master_ns) {
      RankFigures figures;
      for (const DealtRun& run : runs) figures.push_back(run.master_ns.at(what));
      master_ns_[what] = TimeLaw(study, {}, factors, figures).at(how_.master);
    }
    const int worker = run_.how.master == 0 ? 1 : 0;
    const double recorded = run_.mean_ns[static_cast<std::size_t>(worker)];
    scale_ = run_.of_target ? 1 : recorded > 0 ? mean.at(worker) / recorded : 0;
  }

  std::vector<std::vector<DealtCall>> run() {
    const Dealing& how = how_;
    double now = lead_ns_[static_cast<std::size_t>(how.master)];
    for (int rank = 0; rank < ranks_; ++rank) {
      if (rank == how.master) continue;
      if (how.workers_ask) {
        talk(rank, how.master, how.question);
        coming_.emplace(lead_ns_[static_cast<std::size_t>(rank)] + run_.way_ns, rank);
      } else {
        give(rank, now += run_.service_ns + master_ns_[MasterDoes::Deals], MasterDoes::Deals);
      }
    }
    while (!coming_.empty()) {
      const auto [time, worker] = coming_.top();
      coming_.pop();
      now = std::max(now + master_ns_[MasterDoes::Hears], time) + run_.service_ns +
            master_ns_[MasterDoes::Answers];
      hear(worker);
      if (next_ < count_) {
        give(worker, now, MasterDoes::Answers);
      } else if (how.last_answered) {
        tell(worker, MasterDoes::Answers);
      }
    }
    for (int rank = 0; rank < ranks_ && how.told_in_turn; ++rank)
      if (rank != how.master) tell(rank, MasterDoes::Tells);
    return std::move(calls_);
  }

 private:
  std::vector<DealtCall>& calls(int rank) { return calls_[static_cast<std::size_t>(rank)]; }
  double lead(int rank) { return calls(rank).empty() ? lead_ns_[static_cast<std::size_t>(rank)] : 0; }
  void add(int rank, DealtCall call) {
    if (const double before = lead(rank); before > 0) {
      call.computed_ns = before;
      call.lead = true;
    }
    calls(rank).push_back(call);
  }
  // The receiver does so when it comes to it.
  void talk(int from, int to, const Dealt& message, double computed_ns = 0) {
    add(from, {.sends = true, .peer = to, .message = message, .computed_ns = computed_ns});
    if (from != how_.master) waiting_[from] = message;
  }
  void hear(int worker) {
    add(how_.master, {.sends = false,
                      .peer = worker,
                      .message = waiting_.at(worker),
                      .computed_ns = master_ns_[MasterDoes::Hears]});
  }
  void give(int worker, double now, MasterDoes what) {
    const double length = scale_ * run_.tasks_ns[static_cast<std::size_t>(next_++) % run_.tasks_ns.size()];
    talk(how_.master, worker, how_.task, master_ns_[what]);
    add(worker, {.sends = false, .peer = how_.master, .message = how_.task});
    talk(worker, how_.master, how_.result, length);
    coming_.emplace(now + 2 * run_.way_ns + length, worker);
  }
  void tell(int worker, MasterDoes what) {
    talk(how_.master, worker, how_.no_more, master_ns_[what]);
    add(worker, {.sends = false, .peer = how_.master, .message = how_.no_more});
  }

  const DealtRun& run_;
  Dealing how_;  // in the target
  int ranks_, count_, next_ = 0;
  double scale_ = 1;
  std::vector<double> lead_ns_;
  std::map<MasterDoes, double> master_ns_;
  std::vector<std::vector<DealtCall>> calls_;
  std::map<int, Dealt> waiting_;  // by worker: what it sent last
  using Coming = std::pair<double, int>;
  std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming_;
};

}  // namespace

bool Dealing::like(const Dealing& other) const {
  const auto key = [](const Dealing& one) {
    return std::tuple(one.before, one.workers_ask, one.last_answered, one.told_in_turn, one.question.tag,
                      one.task.tag, one.result.tag, one.no_more.tag);
  };
  return key(*this) == key(other);
}

std::optional<DealtRun> find_dealt_tasks(const Trace& trace) {
  return DealtSearch(trace).run();
}

std::optional<std::vector<DealtRun>> find_dealt_tasks(const std::vector<const Trace*>& runs) {
  std::vector<DealtRun> all;
  for (const Trace* run : runs) {
    std::optional<DealtRun> one = find_dealt_tasks(*run);
    if (!one || (!all.empty() && !one->how.like(all.front().how))) return std::nullopt;
    all.push_back(std::move(*one));
  }
  const auto ranks = [](const DealtRun& run) { return static_cast<int>(run.lead_ns.size()); };
  for (const FixedPlace& place : readings_of_place(all.back().how.master, ranks(all.back()))) {
    const bool holds = std::ranges::all_of(
        all, [&](const DealtRun& run) { return place.among(ranks(run)) == run.how.master; });
    if (!holds) continue;
    for (DealtRun& run : all) run.how.place = place;
    return all;
  }
  return std::nullopt;
}

std::vector<std::vector<DealtCall>> deal(const Study& study, const std::vector<DealtRun>& runs, int count) {
  if (!runs.back().how.workers_ask && count < study.target.ranks - 1)
    throw TraceError(
        fmt::format("with {} ranks there would be {} tasks, fewer than workers: they say nothing about that",
                    study.target.ranks, count));
  return DealtSimulation(study, runs, count).run();
}

}  // namespace waitdiag
