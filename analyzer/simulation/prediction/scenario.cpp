// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/prediction/scenario.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "analyzer/diagnosis/activities/activities.hpp"
#include "analyzer/diagnosis/activities/call_tree_paths.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

class GapScaling {
 public:
  GapScaling(const Trace& trace, const Scenario& scenario)
      : trace_(trace), activities_(trace), factor_(trace.ranks()) {
    const double all = scenario.compute_scale * scenario.machine.compute_scale;
    for (std::size_t rank = 0; rank < factor_.size(); ++rank) {
      double factor = all;
      for (const ScaleOfRanks& ranks : scenario.machine.rank_scales)
        if (rank >= ranks.first && rank <= ranks.last) factor *= ranks.scale;
      const ComputationFactors& given = scenario.factors;
      if (!given.of_rank.empty()) factor *= given.of_rank[rank];
      factor_[rank].assign(activities_.slots(), factor);
      for (std::size_t slot = 0; slot < given.of_slot.size(); ++slot)
        factor_[rank][slot] *= given.of_slot[slot];
    }
    for (const ScaleOfRanks& ranks : scenario.machine.rank_scales)
      scales_without_ += ranks.last >= factor_.size() ? 1 : 0;
    for (const ScaleOfCallPath& path : scenario.machine.call_path_scales) {
      scales_without_ += std::ranges::count(call_paths_named(trace, path.call_path), true) == 0 ? 1 : 0;
      multiply(path.call_path, [&](std::size_t) { return path.scale; });
    }
    for (const Scenario::Speedup& speedup : scenario.speedups) {
      used(speedup.call_path);
      multiply(speedup.call_path, [&](std::size_t) { return 1 / speedup.factor; });
    }
    for (const std::string& path : scenario.balance) balance(path);
    set_time_off_processor(scenario);
    for (const Repair& repair : scenario.repairs) shorten(repair);
  }

  ScenarioTimes times(Duration& left_out) const {
    ScenarioTimes times{GapTimes(trace_.timelines().size()), {}};
    times.pieces.resize(times.gaps.size());
    for (std::uint32_t l = 0; l < times.gaps.size(); ++l) {
      const Timeline& timeline = trace_.timelines()[l];
      times.gaps[l].reserve(timeline.gaps());
      for (std::size_t gap = 0; gap < timeline.gaps(); ++gap)
        times.gaps[l].push_back(add_pieces(Location(l), gap, times.pieces[l], left_out).count());
      for (const GapCuts& cuts : cuts_) cut(Location(l), cuts, times);
    }
    return times;
  }
  std::uint64_t ranks_without() const { return ranks_without_; }
  std::uint64_t balanced_steps() const { return balanced_steps_; }
  std::uint64_t balanced_runs() const { return balanced_runs_; }
  std::uint64_t scales_without() const { return scales_without_; }

 private:
  // What a repair takes from the gaps, and from which pieces first.
  struct GapCuts {
    std::vector<bool> meant{};  // by call path
    const Change* change = nullptr;
  };

  void shorten(const Repair& repair) {
    GapCuts& cuts =
        cuts_.emplace_back(GapCuts{std::vector<bool>(trace_.call_paths().size()), repair.change.get()});
    for (std::size_t path = 0; path < cuts.meant.size(); ++path)
      cuts.meant[path] = std::ranges::count(repair.call_paths, trace_.without_sites(CallPathId(path))) > 0;
  }

  void cut(Location location, const GapCuts& cuts, ScenarioTimes& times) const {
    const std::vector<std::vector<Saving>>& savings = timed(*cuts.change);
    if (index(location) >= savings.size()) return;
    const Timeline& timeline = trace_.timeline(location);
    std::size_t gap = 0, first = 0;                          // and its first piece
    for (const Saving& saving : savings[index(location)]) {  // by operation
      if (saving.in_call) continue;
      for (; gap < saving.op; ++gap) first += timeline.pieces(gap).size();
      std::int64_t& length = times.gaps[index(location)][gap];
      const auto recorded = static_cast<double>((timeline.gap_end(gap) - timeline.gap_begin(gap)).count());
      if (recorded <= 0) continue;
      const auto saved = static_cast<double>(saving.time.count()) * static_cast<double>(length) / recorded;
      const std::int64_t less = std::min<std::int64_t>(length, std::llround(saved));
      length -= less;
      cut_pieces(timeline.pieces(gap), cuts.meant, Duration(less),
                 std::span(times.pieces[index(location)]).subspan(first));
    }
  }

  static void cut_pieces(std::span<const ComputationPiece> recorded, const std::vector<bool>& meant,
                         Duration less, std::span<Duration> pieces) {
    for (const bool of_cause : {true, false})
      for (std::size_t i = recorded.size(); i-- > 0;) {
        const CallPathId path = recorded[i].call_path;
        if ((path != kNoCallPath && meant[index(path)]) != of_cause) continue;
        const Duration from_this = std::min(less, pieces[i]);
        pieces[i] -= from_this;
        less -= from_this;
      }
  }

  bool of_measurement(const ComputationPiece& piece) const {
    return piece.call_path != kNoCallPath && trace_.region(piece.call_path).kind == CallKind::Artificial;
  }

  void set_time_off_processor(const Scenario& scenario) {
    for (std::size_t slot = 0; slot < trace_.call_paths().size(); ++slot) {
      const auto off = trace_.region(CallPathId(slot)).off();
      if (!off) continue;
      const auto meant = [&, what = trace_.waited_for(CallPathId(slot))](const Absence& absence) {
        return absence.reason == *off && (!absence.what || absence.what == what);
      };
      const bool without = std::ranges::any_of(scenario.without, meant);
      for (std::vector<double>& factor : factor_) factor[slot] = without ? 0 : 1;
    }
  }

  // Limited so that times of a replay can be added up.
  static Duration lasting(double ns) {
    constexpr double kMost = 1e15;
    if (ns > kMost)
      throw TraceError(
          "the computation between two MPI calls would take more than 11 days; check the compute scales of "
          "the machine file and of --compute-scale");
    return Duration(std::llround(ns));
  }

  // Adds the pieces of one gap as they will be; returns their sum.
  Duration add_pieces(Location location, std::size_t gap, std::vector<Duration>& pieces,
                      Duration& left_out) const {
    const auto recorded = trace_.timeline(location).pieces(gap);
    auto next = recorded.begin();
    Duration sum{};
    const auto skip = [&] {
      for (; next != recorded.end() && of_measurement(*next); ++next) {
        left_out += next->time;
        pieces.emplace_back(0);
      }
    };
    activities_.for_each_in_gap(location, gap, [&](ActivityId activity, Duration length) {
      skip();
      ++next;
      pieces.push_back(lasting(static_cast<double>(length.count()) * factor_of(location, gap, activity)));
      sum = lasting(static_cast<double>((sum + pieces.back()).count()));
    });
    skip();
    return sum;
  }

  double factor_of(Location location, std::size_t gap, ActivityId activity) const {
    const std::vector<double>& factor = factor_[index(trace_.rank(location))];
    const auto of_slot = [&](std::size_t slot) {
      double product = factor[slot];
      for (const StepFactors& steps : steps_)
        if (steps.meant[slot])
          if (const auto step = steps.of_gap[index(location)].find(gap);
              step != steps.of_gap[index(location)].end())
            product *= step->second;
      return product;
    };
    if (activities_.is_exact(activity)) return of_slot(index(activity));
    double sum = 0, least = INFINITY, most = 0;
    for (const Share& share : activities_.shares(activity)) {
      const double of_path = of_slot(activities_.slot(share.call_path));
      sum += share.share() * of_path;
      least = std::min(least, of_path);
      most = std::max(most, of_path);
    }
    return least == most ? least : sum;  // shares add up to 1, except for rounding
  }

  void multiply(const std::string& name, const std::function<double(std::size_t rank)>& factor) {
    const std::vector<bool> meant = call_paths_named(trace_, name);
    for (std::size_t rank = 0; rank < factor_.size(); ++rank)
      for (std::size_t slot = 0; slot < meant.size(); ++slot)
        if (meant[slot]) factor_[rank][slot] *= factor(rank);
  }

  // Nanoseconds in the call paths `meant` of one gap, with the factors so far.
  double used_in(Location location, std::size_t gap, const std::vector<bool>& meant) const {
    const std::vector<double>& factor = factor_[index(trace_.rank(location))];
    double time = 0;
    activities_.for_each_in_gap(location, gap, [&](ActivityId activity, Duration length) {
      const auto add = [&](std::size_t slot, double share) {
        if (meant[slot]) time += static_cast<double>(length.count()) * share * factor[slot];
      };
      if (activities_.is_exact(activity)) {
        add(index(activity), 1);
        return;
      }
      for (const Share& share : activities_.shares(activity))
        add(activities_.slot(share.call_path), share.share());
    });
    return time;
  }

  // By rank.
  std::vector<double> used(const std::string& name) const {
    const std::vector<bool> meant = call_paths_named(trace_, name);
    std::vector<double> time(factor_.size(), 0);
    for (std::uint32_t l = 0; l < trace_.timelines().size(); ++l)
      for (std::size_t gap = 0; gap < trace_.timelines()[l].gaps(); ++gap)
        time[index(trace_.rank(Location(l)))] += used_in(Location(l), gap, meant);
    if (std::ranges::all_of(time, [](double t) { return t == 0; }))
      throw TraceError("nothing was computed in a call path called " + name +
                       "; name it as `waitdiag report` does, in full or by its end");
    return time;
  }

  void balance(const std::string& name) {
    const std::vector<double> time = used(name);
    if (balance_steps(name)) return;
    ++balanced_runs_;
    double all = 0;
    for (const double t : time) all += t;
    const auto without = std::ranges::count(time, 0);
    const double mean = all / static_cast<double>(time.size() - static_cast<std::size_t>(without));
    ranks_without_ += static_cast<std::uint64_t>(without);
    multiply(name, [&](std::size_t rank) { return time[rank] == 0 ? 1 : mean / time[rank]; });
  }

  struct Step {
    std::size_t gap = 0;
    double time = 0;
  };

  // Between which calls a location is in the call paths `meant`.
  std::vector<Step> steps_of(Location location, const std::vector<bool>& meant) const {
    std::vector<Step> steps;
    for (std::size_t gap = 0; gap < trace_.timeline(location).gaps(); ++gap)
      if (const double time = used_in(location, gap, meant); time > 0) steps.push_back({gap, time});
    return steps;
  }

  // The number of the step that each of them is in, by location: the first one of each, the second one ..., or where ranks do not
  // compute there equally often, those before the same call, if all make equally many. Empty: neither.
  std::vector<std::vector<std::size_t>> numbers_of(const std::vector<std::vector<Step>>& steps) const {
    const auto same = [&](const auto& count_of) {
      for (std::uint32_t l = 1; l < steps.size(); ++l)
        if (count_of(l) != count_of(0)) return false;
      return true;
    };
    const bool equally_often = same([&](std::uint32_t l) { return steps[l].size(); });
    if (!equally_often && !same([&](std::uint32_t l) { return trace_.timelines()[l].gaps(); })) return {};
    std::vector<std::vector<std::size_t>> numbers;
    for (const std::vector<Step>& own : steps) {
      std::vector<std::size_t>& all = numbers.emplace_back();
      for (std::size_t i = 0; i < own.size(); ++i) all.push_back(equally_often ? i : own[i].gap);
    }
    return numbers;
  }

  // Where a different rank is the slowest in a call path each time: takes the mean of each time, because the mean over the run
  // would keep all of these differences. False: nothing was done.
  bool balance_steps(const std::string& name) {
    if (trace_.timelines().size() != factor_.size()) return false;
    const std::vector<bool> meant = call_paths_named(trace_, name);
    std::vector<std::vector<Step>> steps;
    for (std::uint32_t l = 0; l < factor_.size(); ++l) steps.push_back(steps_of(Location(l), meant));
    const std::vector<std::vector<std::size_t>> numbers = numbers_of(steps);
    if (numbers.empty()) return false;
    struct OfAll {
      double time = 0, most = 0, ranks = 0;
      double mean() const { return time / ranks; }
    };
    std::map<std::size_t, OfAll> all;
    double slowest = 0, means = 0, time = 0, of_slowest = 0;
    for (std::size_t l = 0; l < steps.size(); ++l) {
      double own = 0;
      for (std::size_t i = 0; i < steps[l].size(); ++i) {
        OfAll& one = all[numbers[l][i]];
        one.time += steps[l][i].time;
        one.most = std::max(one.most, steps[l][i].time);
        ++one.ranks;
        own += steps[l][i].time;
      }
      time += own;
      of_slowest = std::max(of_slowest, own);
    }
    for (const auto& [number, one] : all) {
      slowest += one.most;
      means += one.mean();
    }
    constexpr double kMoves = 1.5;  // what the slowest of each step lose to that of the run
    if (all.size() < 2 || slowest - means <= kMoves * (of_slowest - time / static_cast<double>(steps.size())))
      return false;
    StepFactors& factors = steps_.emplace_back(StepFactors{meant, {}});
    for (std::size_t l = 0; l < steps.size(); ++l) {
      auto& of_gap = factors.of_gap.emplace_back();
      for (std::size_t i = 0; i < steps[l].size(); ++i)
        of_gap[steps[l][i].gap] = all[numbers[l][i]].mean() / steps[l][i].time;
    }
    balanced_steps_ += all.size();
    return true;
  }

  struct StepFactors {
    std::vector<bool> meant{};                            // by slot
    std::vector<std::map<std::size_t, double>> of_gap{};  // by location
  };

  const Trace& trace_;
  Activities activities_;
  std::vector<std::vector<double>> factor_;  // by rank and slot
  std::vector<StepFactors> steps_;
  std::vector<GapCuts> cuts_;
  std::uint64_t ranks_without_ = 0, scales_without_ = 0, balanced_steps_ = 0, balanced_runs_ = 0;
};

bool changes_nothing(const Scenario& scenario) {
  return scenario.factors.of_slot.empty() &&
         std::ranges::all_of(scenario.factors.of_rank, [](double factor) { return factor == 1; }) &&
         scenario.compute_scale * scenario.machine.compute_scale == 1 &&
         scenario.machine.rank_scales.empty() && scenario.machine.call_path_scales.empty() &&
         scenario.balance.empty() && scenario.speedups.empty() && scenario.without.empty() &&
         scenario.repairs.empty();
}

bool has_artificial(const Trace& trace) {
  return std::ranges::any_of(trace.regions(),
                             [](const Region& region) { return region.kind == CallKind::Artificial; });
}

}  // namespace

ScenarioTimes scenario_times(const Trace& trace, const Scenario& scenario, Approximations& approximations) {
  for (const Approximation& one : scenario.factors.notes.all())
    approximations.add(one.id, one.text, one.count, one.time);
  if (const bool light = trace.facts().excerpts; light || trace.facts().paused)
    approximations.add(
        light ? "excerpts" : "pauses",
        std::string(light ? "the recording has excerpts of the run only (WAITPROF_PROFILE=light)"
                          : "the recording was paused") +
            ": what is predicted is what was recorded, one part behind the other, not the whole run",
        1, (trace.end() - trace.begin()) * static_cast<Duration::rep>(trace.timelines().size()));
  if (changes_nothing(scenario) && !has_artificial(trace)) return {recorded_gaps(trace), {}};
  const GapScaling scaling(trace, scenario);
  Duration left_out{};
  ScenarioTimes times = scaling.times(left_out);
  approximations.add("measurement", "time of the measurement itself is left out",
                     left_out.count() > 0 ? 1 : 0, left_out);
  approximations.add("scales",
                     "a [[compute]] of the machine file is, in part at least, for ranks or a call path that "
                     "this run does not have",
                     scaling.scales_without(), {});
  approximations.add("balance",
                     "ranks without any of a balanced call path get none of it either: the others share it",
                     scaling.ranks_without(), {});
  approximations.add(
      "balanced_steps",
      "a balanced call path is slowest on another rank from step to step: its ranks got the mean "
      "of each step by itself, not of the run",
      scaling.balanced_steps(), {});
  approximations.add(
      "balanced_run",
      "the ranks of a balanced call path got the mean of the run: what each of them differs by "
      "from step to step remains",
      scaling.balanced_runs(), {});
  return times;
}

}  // namespace waitdiag
