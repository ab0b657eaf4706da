// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/recorded_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "analyzer/simulation/machine/machine_text.hpp"
#include "analyzer/simulation/prediction/recorded_iterations.hpp"
#include "analyzer/simulation/recorded_machine/machine_fit.hpp"
#include "analyzer/simulation/replay/calls_and_messages.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kCallsToReplay = 24000;  // of all runs together, about
constexpr double kWorthANote = 0.05;           // of the time that messages take
constexpr std::uint64_t kWorkToTry = 200000;   // more cannot be replayed hundreds of times
constexpr std::uint32_t kFewestIterations = 3;
constexpr std::uint32_t kIterationsToSearch = 4;  // for the machine's shape
constexpr double kNoWorse = 2;                    // cost of all iterations over that of those
constexpr double kOtherSettings = 10;  // times the error of a good fit: may be those of another network
constexpr double kKnown = RecordedMachineReport::Level::kKnown;

std::size_t calls_of(const Trace& trace) {
  std::size_t calls = 0;
  for (const Timeline& timeline : trace.timelines()) calls += timeline.size();
  return calls;
}

// About so many calls, but not fewer than a few iterations.
std::uint32_t iterations_to_fit(const Trace& trace, std::uint32_t all, std::size_t most_calls) {
  const std::size_t calls = calls_of(trace);
  if (calls <= most_calls) return all;
  return std::min(
      all, static_cast<std::uint32_t>(std::max<std::size_t>(kFewestIterations, most_calls * all / calls)));
}

// When the last rank has left MPI_Init: the time before belongs to the launcher.
Time after_start(const Trace& trace) {
  Time last = trace.begin();
  for (const Timeline& timeline : trace.timelines())
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      if (trace.region(timeline.call_path(op)).kind != CallKind::Init) continue;
      last = std::max(last, timeline.leave(op));
      break;
    }
  return last;
}

double communication_ns(const Trace& trace) {
  double sum = 0;
  for (const Timeline& timeline : trace.timelines())
    for (std::uint32_t op = 0; op < timeline.size(); ++op)
      if (trace.region(timeline.call_path(op)).kind != CallKind::Init)
        sum += static_cast<double>(timeline.length(op).count());
  return sum / static_cast<double>(std::max<std::size_t>(1, trace.timelines().size()));
}

// "waitdiag info" names the library; a table of its algorithms comes with waitdiag.
std::string collectives_of(const Trace& trace) {
  return trace.facts().mpi.starts_with("SMPI") ? "smpi" : "mpich";
}

// What the runs do not show about a level; "": they show everything.
std::string unknown_text(const RecordedMachineReport::Level& level) {
  const bool latency = level.latency_error < kKnown, bandwidth = level.bandwidth_error < kKnown;
  if (latency && bandwidth) return "";
  if (level.messages > 0 && level.least_bytes == level.most_bytes)
    return fmt::format(
        "latency and bandwidth of level {} cannot be told from each other, for all messages "
        "there have {} bytes: what others cost is assumed",
        level.name, level.most_bytes);
  return fmt::format("{} of level {} cannot be told from these runs: a usual one is assumed",
                     latency     ? "the bandwidth"
                     : bandwidth ? "the latency"
                                 : "latency and bandwidth",
                     level.name);
}

class Search {
 public:
  explicit Search(std::span<const RunOfMachine> runs) : runs_(runs.begin(), runs.end()) {
    std::ranges::stable_sort(runs_, {}, [](const RunOfMachine& run) { return run.trace->ranks(); });
    for (const RunOfMachine& run : runs_) {
      all_.push_back(run.trace);
      if (run.sync == nullptr) found_.push_back(std::make_unique<const SyncPoints>(match(*run.trace)));
      sync_.push_back(run.sync == nullptr ? found_.back().get() : run.sync);
    }
    for (std::size_t i = 0; i < runs_.size(); ++i) matched_.push_back({*all_[i], *sync_[i]});
    known_ = known_network_of(all_.back()->facts().mpi);
    protocol_ =
        protocol_of(matched_, known_ == nullptr ? std::nullopt : std::optional(known_->detached_bytes));
    for (const MatchedRun& run : matched_) {
      messages_ += run.sync.messages.size();
      clocks_.push_back(clock_offsets(run.trace, run.sync));
      contradicting_ += clocks_.back().contradicting;
    }
    shorten();
    whole_.resize(all_.size());
  }

  RecordedMachine run() {
    const RecordedPlaces places = places_of(all_);
    const MachineFit fit(fitted_, protocol_, collectives_of(*all_.back()), known_);
    MachineFit::Shape best = work_ > kWorkToTry ? fit.quick(places) : best_shape(fit, places);
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds && work_ <= kWorkToTry && find_cut_errors(fit, best); ++round) {
      best = best_shape(fit, places);
    }
    const std::vector<std::size_t> hidden = fit.hidden(best);
    RecordedMachine result{.machine = fit.machine(best),
                           .spread = fit.spread(best),
                           .sizes_known = best.known != nullptr,
                           .others = fit.others(best, hidden, tried_),
                           .dearest = fit.dearest(best),
                           .narrowest = fit.narrowest(best),
                           .cores = best.places.cores.back()};
    result.report.collectives = result.machine.collectives;
    for (const FittedRun& fitted : fitted_)
      for (const TransportTimes::Group& group : fitted.transport->groups())
        result.report.fitted_calls += group.calls;
    add_levels(best, result);
    check(fit, best, result);
    add_notes(places, best, result.report);
    for (const std::size_t parameter : hidden)
      if (const std::size_t level = parameter / 2; level < result.report.levels.size())
        result.report.notes.push_back(fmt::format(
            "the {} of level {} may be better than found: computation hides what messages cost there",
            parameter % 2 == 0 ? "latency" : "bandwidth", result.report.levels[level].name));
    if (result.dearest)
      result.report.notes.push_back(
          "computation hides all that messages cost: they may cost much more than assumed, and no run tells; "
          "record one in which ranks wait for messages, or name a machine");
    return result;
  }

 private:
  // A few iterations of each run, so that it can be replayed often, and fewer for the search.
  void shorten() {
    bool fewer = false;
    std::vector<std::uint32_t> searched;
    for (const Trace* const run : all_) {
      RecordedIterations iterations(*run);
      const std::uint32_t all = iterations.iterations(),
                          some = iterations_to_fit(*run, all, kCallsToReplay / all_.size());
      add_part(iterations, some, fitted_);
      work_ += calls_and_messages(*fitted_.back().trace);
      searched.push_back(std::min(some, kIterationsToSearch));
      fewer = fewer || searched.back() < some;
    }
    for (std::size_t i = 0; fewer && work_ <= kWorkToTry && i < all_.size(); ++i) {
      RecordedIterations iterations(*all_[i]);
      add_part(iterations, searched[i], searched_);
    }
  }

  // Appends the first iterations of the next run.
  void add_part(RecordedIterations& iterations, std::uint32_t some, std::vector<FittedRun>& parts) {
    const std::size_t i = parts.size();
    FittedRun& run = parts.emplace_back();
    run.trace = all_[i];
    if (some < iterations.iterations())
      run.trace = short_.emplace_back(std::make_unique<const Trace>(iterations.shortened(some))).get();
    const bool all = run.trace == all_[i];
    const SyncPoints of_some = all ? SyncPoints() : match(*run.trace);
    const SyncPoints& sync = all ? *sync_[i] : of_some;
    run.program = make_program(*run.trace, sync, recorded_gaps(*run.trace));
    TransportTimes transport(*run.trace, sync, protocol_.detached_bytes, clocks_[i]);
    if (!all) transport.take_recorded_from({*all_[i], *sync_[i], protocol_.detached_bytes, clocks_[i]});
    run.transport = std::make_unique<const TransportTimes>(std::move(transport));
    run.communication_ns = communication_ns(*run.trace);
  }

  // The costs that the MPI library says, unless its settings are other ones: then they explain the runs clearly worse.
  MachineFit::Shape best_shape(const MachineFit& fit, const RecordedPlaces& places) {
    tried_.clear();
    const MachineFit search(searched_.empty() ? fitted_ : searched_, protocol_, collectives_of(*all_.back()),
                            known_);
    if (known_ == nullptr) return best_unknown(fit, search, places);
    MachineFit::Shape known = fit.refined(search.best_known(places, tried_));
    const auto take_better = [&known](MachineFit::Shape other) {
      if (other.found.cost < known.found.cost) known = std::move(other);
    };
    if (!fit.is_good(known, kOtherSettings) && !searched_.empty()) {
      tried_.clear();
      take_better(fit.refined(fit.best_known(places, tried_)));
    }
    if (fit.is_good(known, kOtherSettings)) return known;
    MachineFit::Shape unknown = best_unknown(fit, search, places);
    take_better(fit.known_like(unknown));
    return known.found.cost < kNoWorse * unknown.found.cost ? known : unknown;
  }

  // The shape that explains the first iterations, if it explains all of them about as well: in few, a level may look as if it
  // were missing.
  MachineFit::Shape best_unknown(const MachineFit& fit, const MachineFit& search,
                                 const RecordedPlaces& places) {
    const MachineFit::Shape searched = search.best(places, tried_);
    MachineFit::Shape best = fit.refined(searched);
    if (searched_.empty()) return best;
    const bool no_worse = best.found.cost < kNoWorse * searched.found.cost;
    if (no_worse || fit.is_good(best)) return best;
    tried_.clear();
    return fit.refined(fit.best(places, tried_));
  }

  void add_levels(const MachineFit::Shape& best, RecordedMachine& result) const {
    for (std::size_t l = 0; l < result.machine.levels.size(); ++l) {
      const MachineLevel& level = result.machine.levels[l];
      const SizeInterval& cost = level.intervals.front();
      const MachineFit::Shape::Costs costs = best.costs(l);
      result.report.levels.push_back(
          {.name = level.name,
           .latency_s = cost.latency_ns * 1e-9,
           .bytes_per_s =
               1e9 / (level.sharing == Sharing::Bus ? level.channel_ns_per_byte : cost.ns_per_byte),
           .latency_error = best.found.errors[costs.latency],
           .bandwidth_error = best.found.errors[costs.port]});
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Placement placement(result.machine, best.places.cores[i]);
      for (const Message& message : sync_[i]->messages) {
        const std::uint64_t bytes = send_end(*all_[i], message).bytes;
        const std::size_t between = std::min(placement.level_between(index(all_[i]->rank(message.sender)),
                                                                     index(all_[i]->rank(message.receiver))),
                                             result.report.levels.size() - 1);
        RecordedMachineReport::Level& level = result.report.levels[between];
        level.least_bytes = level.messages == 0 ? bytes : std::min(level.least_bytes, bytes);
        level.most_bytes = std::max(level.most_bytes, bytes);
        ++level.messages;
      }
    }
  }

  // Made into a program once, unless a part is the whole run.
  const FittedRun& whole_run(std::size_t i) {
    if (fitted_[i].trace == all_[i]) return fitted_[i];
    FittedRun& whole = whole_[i];
    if (whole.trace == nullptr)
      whole = {.trace = all_[i],
               .program = make_program(*all_[i], *sync_[i], recorded_gaps(*all_[i])),
               .communication_ns = communication_ns(*all_[i])};
    return whole;
  }

  // True: ends of parts are so far off, other than so far, that a fit without that error may find another machine.
  bool find_cut_errors(const MachineFit& fit, const MachineFit::Shape& found) {
    constexpr double kMatters = 0.01;
    const bool all_matter = !fit.is_good(found);
    std::vector<char> matters(all_.size(), 0);
    for_each_index(all_.size(), [&](std::size_t i) {
      if (fitted_[i].trace == all_[i] && (searched_.empty() || searched_[i].trace == all_[i])) return;
      const FittedRun& whole = whole_run(i);
      const double error = run_error(whole, fit.replayed(found, whole, i));
      for (std::vector<FittedRun>* const parts : {&fitted_, &searched_}) {
        if (parts->empty() || (*parts)[i].trace == all_[i]) continue;
        FittedRun& part = (*parts)[i];
        const double before =
            std::exchange(part.cut_error, run_error(part, fit.replayed(found, part, i)) - error);
        const bool is_off = std::abs(part.cut_error - before) > kMatters;
        if (is_off && (all_matter || parts == &fitted_)) matters[i] = 1;
      }
    });
    return std::ranges::count(matters, 1) > 0;
  }

  // How far the machine that was found is off, for the whole of each run.
  void check(const MachineFit& fit, const MachineFit::Shape& best, RecordedMachine& result) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Replayed replayed = fit.replayed(best, whole_run(i), i);
      const Time start = after_start(*all_[i]);
      result.report.checks.push_back({.run = runs_[i].name,
                                      .ranks = all_[i]->ranks(),
                                      .recorded_s = seconds(all_[i]->end() - start),
                                      .replayed_s = seconds(replayed.end - start)});
    }
  }

  // Of the time that calls took once everything they wait for had begun.
  double lost_share() const {
    double lost = 0, all = 0;
    for (const FittedRun& run : fitted_) {
      lost += run.transport->lost_ns();
      for (const TransportTimes::Group& group : run.transport->groups()) all += group.recorded_ns;
    }
    return all > 0 ? lost / all : 0;
  }

  void add_notes(const RecordedPlaces& places, const MachineFit::Shape& best,
                 RecordedMachineReport& report) const {
    for (const RecordedMachineReport::Level& level : report.levels)
      if (const std::string text = unknown_text(level); !text.empty()) report.notes.push_back(text);
    if (work_ > kWorkToTry)
      report.notes.push_back(
          "the runs are so long and irregular that only a rough fit was made: replay errors tell");
    if (contradicting_ > 0)
      report.notes.push_back(
          fmt::format("{} of {} messages were received before they were sent, so clocks differ: the "
                      "fastest in either direction are taken to have been as fast",
                      contradicting_, messages_));
    if (const double lost = lost_share(); lost >= kWorthANote)
      report.notes.push_back(fmt::format(
          "messages seem slow: ranks shared processors, and for {:.0f} % of the time in which they took "
          "messages their processor had gone to others; fewer ranks on a node tell more of the machine",
          100 * lost));
    if (places.one_node)
      report.notes.push_back(
          "all recorded ranks ran on one node: more of them are predicted as if they were on one, too; "
          "where they will be on several, name a machine (--machine)");
    if (best.known != nullptr)
      report.notes.push_back(
          "what messages of one size cost, relative to those of another, is what SMPI has by default: if you "
          "set "
          "network/model, smpi/lat-factor or smpi/bw-factor, name a machine (--machine)");
    if (best.sizes.size() > 1)
      report.notes.push_back(
          "latency and bandwidth depend on the size of messages: those of the smallest are shown, "
          "--write-machine FILE writes all of them");
    if (best.detached_bytes != protocol_.detached_bytes)
      report.notes.push_back(
          fmt::format("that senders of more than {} bytes wait for their receivers is concluded from times",
                      best.detached_bytes));
    if (best.backplane)
      report.notes.push_back(
          "that messages between all nodes share one port more (a backplane) is concluded from times");
    if (!best.blocks.empty())
      report.notes.push_back(
          "every recorded rank ran on a node of its own; that blocks of them are near each other is "
          "concluded from times");
  }

  std::vector<RunOfMachine> runs_;
  std::vector<const Trace*> all_;
  std::vector<std::unique_ptr<const SyncPoints>> found_;  // of the runs that were given without
  std::vector<const SyncPoints*> sync_;
  std::vector<MatchedRun> matched_;
  const KnownNetwork* known_ = nullptr;  // what the MPI library says, or null
  RecordedProtocol protocol_;
  std::vector<ClockOffsets> clocks_;  // by run
  std::uint64_t work_ = 0;            // of one replay of all runs
  std::uint64_t messages_ = 0, contradicting_ = 0;
  std::vector<std::unique_ptr<const Trace>> short_;
  MachineFit::Tried tried_{};                 // in the last search
  std::vector<FittedRun> fitted_, searched_;  // the latter only where they have fewer iterations
  std::vector<FittedRun> whole_;              // by run, once needed
};

std::string within(double error) {
  return error < kKnown ? fmt::format("within {:.0f} %", 100 * std::expm1(error)) : "assumed";
}

}  // namespace

std::uint64_t work_of_fit(const Trace& trace) {
  const std::uint32_t all = RecordedIterations(trace).iterations();
  return calls_and_messages(trace) * iterations_to_fit(trace, all, kCallsToReplay) / all;
}

RecordedMachine find_recorded_machine(std::span<const RunOfMachine> runs) {
  return Search(runs).run();
}

std::string machine_text(const RecordedMachine& recorded) {
  MachineComments comments;
  comments.head.push_back("Found in recorded runs by waitdiag predict. Computation is as recorded.");
  for (const RecordedMachineReport::Check& check : recorded.report.checks)
    comments.head.push_back(fmt::format("{} ({} ranks): recorded {:.6g} s, replayed on it {:.6g} s.",
                                        check.run, check.ranks, check.recorded_s, check.replayed_s));
  for (const std::string& note : recorded.report.notes) comments.head.push_back("Note: " + note + ".");
  for (const RecordedMachineReport::Level& level : recorded.report.levels)
    comments.levels.push_back(
        fmt::format("{} messages of {} to {} bytes besides collective operations; latency {}, bandwidth {}.",
                    level.messages, level.least_bytes, level.most_bytes, within(level.latency_error),
                    within(level.bandwidth_error)));
  return machine_text(recorded.machine, comments);
}

}  // namespace waitdiag
