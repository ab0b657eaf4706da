// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/rescale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "analyzer/scaling/laws/profiles.hpp"
#include "analyzer/scaling/program_laws/guided_batches.hpp"
#include "analyzer/scaling/program_laws/program_laws.hpp"
#include "analyzer/scaling/rescaling/check_runs.hpp"
#include "analyzer/scaling/rescaling/shared_ports.hpp"
#include "analyzer/scaling/rescaling/target_trace.hpp"
#include "analyzer/scaling/sequences/turn_counts.hpp"
#include "analyzer/simulation/prediction/recorded_iterations.hpp"
#include "analyzer/toml/number_of.hpp"
#include "analyzer/trace/derived/joined_calls.hpp"
#include "analyzer/trace/derived/ordered_receives.hpp"
#include "analyzer/trace/derived/untagged.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

auto smallest_and_largest(const std::vector<SizedRun>& runs) {
  return std::ranges::minmax_element(runs, {}, [](const SizedRun& run) { return run.size.ranks; });
}

void check_ranks(const std::vector<SizedRun>& runs, const RunSize& target) {
  const auto [least, most] = smallest_and_largest(runs);
  if (least->size.ranks == most->size.ranks && target.ranks != most->size.ranks && runs.size() > 1)
    throw TraceError(
        fmt::format("all runs have {} ranks: for {} runs with at least two numbers of ranks are needed",
                    most->size.ranks, target.ranks));
}

std::set<std::pair<std::size_t, std::size_t>> dimensions_beyond(const Study& study,
                                                                const std::vector<std::size_t>& used) {
  std::set<std::pair<std::size_t, std::size_t>> beyond;
  for (const std::size_t g : used) {
    const GridLaw& law = study.grids[g];
    const std::size_t dimensions = law.target.extents.size();
    for (std::size_t d = 0; dimensions > 1 && d < dimensions; ++d)
      if (std::ranges::all_of(law.of_run,
                              [&](const Grid& grid) { return grid.extents[d] < law.target.extents[d]; }))
        beyond.emplace(dimensions, d);
  }
  return beyond;
}

Study make_study(std::vector<SizedRun> runs, const RunSize& target, const std::vector<int>& grid,
                 const Alignment& alignment, int draw, std::size_t& work) {
  if (runs.empty()) throw TraceError("there is no run to rescale");
  sort_by_size(runs);
  for (const SizedRun& run : runs) need_whole_run(*run.source.trace, run.source.name);
  check_ranks(runs, target);
  check_problem(runs, target);
  check_said(runs, target);
  Study study{.target = target, .draw = draw};
  std::vector<const Trace*> traces;
  for (SizedRun& run : runs) {
    traces.push_back(run.source.trace);
    study.runs.push_back(std::move(run.source));
    study.sizes.push_back(std::move(run.size));
  }
  study.grids = grid_laws(traces, target, grid);
  study.sequence = align(study.runs, {study.sizes, study.target, study.grids}, alignment, work);
  check_calls(study);
  check_one_run(study);
  study.in_turns = ranks_take_turns(study);
  return study;
}

std::vector<const Trace*> traces_of(std::vector<SizedRun> runs) {
  sort_by_size(runs);
  std::vector<const Trace*> traces;
  for (const SizedRun& run : runs) traces.push_back(run.source.trace);
  return traces;
}

// Programs on a grid of ranks whose partners are told apart by where they are in it.
void add_grids(const std::vector<GridLaw>& grids, std::vector<Alignment>& alignments) {
  for (std::size_t grid = 0; grid < grids.size(); ++grid)
    if (grids[grid].target.extents.size() > 1)
      for (const SameCall same : {SameCall::Name, SameCall::Partner})
        for (const LoopsOf loops : {LoopsOf::EqualTurns, LoopsOf::GrowingTurns})
          alignments.push_back({.loops = loops, .same = same, .grid = grid});
}

}  // namespace

std::string problem_text(const RunSize& size) {
  std::string text;
  for (const auto& [name, value] : size.problem)
    text += fmt::format("{}{}={:g}", text.empty() ? "" : ",", name, value);
  return text;
}

std::optional<std::map<std::string, double>> parse_problem(std::string_view text) {
  std::map<std::string, double> problem;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size()), equals = text.find('=');
    const auto value = equals < comma ? number_of(text.substr(equals + 1, comma - equals - 1)) : std::nullopt;
    if (!value || *value <= 0 || equals == 0) return std::nullopt;
    problem[std::string(text.substr(0, equals))] = *value;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return problem;
}

void sort_by_size(std::vector<SizedRun>& runs) {
  std::stable_sort(runs.begin(), runs.end(), [](const SizedRun& a, const SizedRun& b) {
    return std::pair(a.size.ranks, a.size.problem) < std::pair(b.size.ranks, b.size.problem);
  });
}

// Figures that change from turn to turn may have exact laws if what is done several times is told apart.
void Rescaler::tell_times_apart(const std::vector<SizedRun>& runs, const RunSize& target,
                                const std::vector<int>& grid, Alignment alignment) {
  if (std::ranges::all_of(study_.sequence.growing, [](const GrowingLoop& loop) { return loop.times == 1; }))
    return;
  // Kept for where that does not help. The roles know the study by its place, to which it returns.
  Study study = std::move(study_);
  std::unique_ptr<Roles> roles = std::move(roles_);
  Slots slots = std::move(slots_);
  alignment.times_apart = true;
  try {
    std::size_t work = 0;
    study_ = make_study(runs, target, grid, alignment, 0, work);
    find_laws();
    if (slots_.inexact < slots.inexact) return;
  } catch (const TraceError&) {  // then they are not
  }
  study_ = std::move(study);
  roles_ = std::move(roles);
  slots_ = std::move(slots);
}

namespace {

// The first iterations of runs that all have equally many: what does not align there does not align at all, and costs a
// fraction. Empty: they have no such loop. `own` gets their traces.
std::vector<SizedRun> few_iterations(std::vector<SizedRun> runs, std::deque<Trace>& own) {
  constexpr std::uint32_t kFew = 4;
  std::uint32_t all = 0;
  for (SizedRun& run : runs) {
    RecordedIterations iterations(*run.source.trace);
    if (iterations.iterations() <= 2 * kFew || (all != 0 && all != iterations.iterations())) return {};
    all = iterations.iterations();
    run.source.trace = &own.emplace_back(iterations.shortened(kFew));
  }
  return runs;
}

}  // namespace

std::optional<TraceError> Rescaler::align_runs(const std::vector<SizedRun>& runs, const RunSize& target,
                                               const std::vector<int>& grid) {
  // Calls of some ranks, calls of larger runs and calls of later turns may be mistaken for each other.
  std::optional<TraceError> reason;
  std::vector<Alignment> alignments = {{LoopsOf::EqualTurns},
                                       {LoopsOf::GrowingTurns},
                                       {LoopsOf::PartialTurns},
                                       {LoopsOf::EqualTurns, SameCall::Direction},
                                       {LoopsOf::GrowingTurns, SameCall::Direction},
                                       {LoopsOf::PartialTurns, SameCall::Direction},
                                       {LoopsOf::EqualTurns, SameCall::Partner},
                                       {LoopsOf::GrowingTurns, SameCall::Partner},
                                       {LoopsOf::OptionalCalls}};
  std::size_t work_in_grids = 0;  // all of them together
  std::deque<Trace> own;
  std::vector<SizedRun> few;
  for (std::size_t i = 0; i < alignments.size(); ++i) {
    const Alignment alignment = alignments[i];
    std::size_t own_work = 0, work_in_few = 0;
    std::size_t& work = alignment.grid == Alignment::kNoGrid ? own_work : work_in_grids;
    if (i == 1) few = few_iterations(runs, own);
    try {
      if (!few.empty()) make_study(few, target, grid, alignment, 0, work_in_few);
      study_ = make_study(runs, target, grid, alignment, 0, work);
      find_laws();
      if (slots_.inexact > 0) tell_times_apart(runs, target, grid, alignment);
      reason.reset();
      break;
    } catch (const TraceError& error) {
      if (!reason) reason = error;
      if (i + 1 == alignments.size() && alignment.grid == Alignment::kNoGrid)
        add_grids(grid_laws(traces_of(runs), target, grid), alignments);
      if (!study_.runs.empty() && study_.sequence.ops.empty()) break;  // all do the same
    }
  }
  return reason;
}

namespace {

// The runs with one change to each that needs it; false: none does. `own_runs` gets the new ones.
template <typename Change>
bool change_runs(std::vector<SizedRun>& runs, std::deque<Trace>& own_runs, const Change& change) {
  bool any = false;
  for (SizedRun& run : runs) {
    std::optional<Trace> trace = change(*run.source.trace);
    any = any || trace;
    if (trace) run.source.trace = &own_runs.emplace_back(std::move(*trace));
  }
  return any;
}

}  // namespace

// Programs may compute tags: the level of a grid, the number of a turn. Where messages come in order, they do not matter.
// A rank may have fewer partners than others, or other ones in each turn of a loop, and posts as many requests.
bool Rescaler::align_as(CallsAs as, std::vector<SizedRun> runs, const RunSize& target,
                        const std::vector<int>& grid, std::optional<TraceError>& reason) {
  const bool any_tags = as != CallsAs::Recorded && change_runs(runs, own_runs_, untagged);
  if (as == CallsAs::Untagged && !any_tags) return false;
  if (as >= CallsAs::Joined)
    for (SizedRun& run : runs) run.source.trace = &own_runs_.emplace_back(join_requests(*run.source.trace));
  facts_.calls_as = as;
  if (as == CallsAs::Drawn) return align_with_draws(runs, target, grid);
  const std::optional<TraceError> why = align_runs(runs, target, grid);
  if (why && !reason) reason = why;
  return !why;
}

// Ranks may post and complete as many requests as they like, with whomever. `runs`: with joined requests.
bool Rescaler::align_with_draws(const std::vector<SizedRun>& runs, const RunSize& target,
                                const std::vector<int>& grid) {
  if (runs.size() < 2) return false;  // of one run nobody knows what depends on its size
  const Alignment plain{LoopsOf::GrowingTurns, SameCall::AnyPartner};
  Alignment first_apart = plain, times_apart = plain;
  first_apart.first_apart = times_apart.times_apart = true;
  for (const Alignment& alignment :
       {first_apart, times_apart, {LoopsOf::EqualTurns, SameCall::AnyPartner}, plain}) {
    std::size_t work = 0;
    try {
      study_ = make_study(runs, target, grid, alignment, 1, work);
      find_laws();
      if (slots_.drawn == 0 || !(alignment.first_apart || alignment.times_apart)) return true;
    } catch (const TraceError&) {  // the reason why there are no rules says more
    }
  }
  return false;
}

namespace {

// How many tasks there are; nothing: no rule gives it.
std::optional<int> count_tasks(const std::vector<DealtRun>& runs, const Sizes& sizes) {
  std::vector<int> counts;
  for (const DealtRun& run : runs) counts.push_back(static_cast<int>(run.tasks_ns.size()));
  if (std::ranges::adjacent_find(counts, std::not_equal_to<>()) == counts.end()) return counts.front();
  const std::optional<TurnCount> law = find_turn_count(counts, sizes, 0);
  return law ? std::optional(law->in_target) : std::nullopt;
}

// Who comes last may have a long or a short task; a worker has `each` of them.
double spread_of_tasks(const std::vector<double>& tasks_ns, double each) {
  double sum = 0, squares = 0;
  for (const double task : tasks_ns) {
    sum += task;
    squares += task * task;
  }
  const double mean = sum / static_cast<double>(tasks_ns.size());
  const double variance = squares / static_cast<double>(tasks_ns.size()) - mean * mean;
  return mean > 0 ? std::sqrt(std::max(0.0, variance)) / (each * mean) : 0;
}

// Who comes last may have one of the last batches more, or less, than others.
double spread_of_batches(const std::vector<double>& batches_ns, int workers) {
  const double all = std::accumulate(batches_ns.begin(), batches_ns.end(), 0.0);
  const double last = batches_ns[batches_ns.size() - std::min<std::size_t>(2, batches_ns.size())];
  return all > 0 ? last * workers / all : 0;
}

}  // namespace

// What ranks do beside it has to align.
bool Rescaler::find_dealt(std::vector<SizedRun> runs, const RunSize& target, const std::vector<int>& grid) {
  sort_by_size(runs);
  std::optional<std::vector<DealtRun>> found = find_dealt_tasks(traces_of(runs));
  if (!found || runs.size() < 2) return false;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    std::vector<std::vector<CallRange>> dealt;
    for (const CallRange& calls : (*found)[run].calls) dealt.push_back({calls});
    runs[run].source.trace = &own_runs_.emplace_back(without_calls(*runs[run].source.trace, dealt));
  }
  if (align_runs(runs, target, grid)) return false;
  std::optional<int> count = count_tasks(*found, {study_.sizes, study_.target, study_.grids});
  const int workers = target.ranks - 1;
  if (count) {
    facts_.dealt_spread = spread_of_tasks(found->back().tasks_ns, static_cast<double>(*count) / workers);
  } else if (std::optional<std::vector<double>> batches = guided_in_target(study_, *found)) {
    count = static_cast<int>(batches->size());
    facts_.dealt_spread = spread_of_batches(*batches, workers);
    found->back().tasks_ns = std::move(*batches);
    found->back().of_target = true;
  } else {
    return false;
  }
  dealt_ = std::move(*found);
  facts_.dealt_tasks = *count;
  return true;
}

void check_is_larger(const std::vector<SizedRun>& runs, const RunSize& target) {
  const auto most = smallest_and_largest(runs).max;
  if (target.ranks < most->size.ranks)
    throw TraceError(
        fmt::format("{} ranks are fewer than the {} of {}: predict a larger run, or leave that one out",
                    target.ranks, most->size.ranks, most->source.name));
}

Rescaler::Rescaler(std::vector<SizedRun> runs, const RunSize& target, const std::vector<int>& grid,
                   CallsAs first) {
  const bool dealt = find_dealt(runs, target, grid);
  if (!dealt) change_runs(runs, own_runs_, with_ordered_receives);
  std::optional<TraceError> reason;
  std::vector<CallsAs> ways{CallsAs::Recorded, CallsAs::Untagged, CallsAs::Joined, CallsAs::Drawn};
  std::stable_partition(ways.begin(), ways.end(), [first](CallsAs as) { return as >= first; });
  if (!dealt &&
      std::ranges::none_of(ways, [&](CallsAs as) { return align_as(as, runs, target, grid, reason); }))
    throw TraceError(*reason);
  check_dimensions(study_, slots_.used_grids);
  find_times();
  for (const std::size_t g : slots_.used_grids) facts_.grids.push_back(study_.grids[g].text);
  if (grid.empty()) facts_.other_grids = other_grids(study_, slots_.used_grids);
  facts_.beyond = dimensions_beyond(study_, slots_.used_grids);
  facts_.models = computation_->models();
  facts_.inexact_sizes = slots_.inexact;
  facts_.larger_groups = larger_groups(*roles_, slots_);
  facts_.calls = static_cast<std::uint32_t>(study_.sequence.names.size());
  facts_.iterations = study_.sequence.iterations();
  facts_.drawn = slots_.drawn;
  facts_.from_any_source = std::ranges::any_of(slots_.messages, &MessageSlot::any_source);
}

void Rescaler::find_times() {
  find_loops(keys_of(study_.sequence, slots_), study_.sequence);
  study_.sequence.group_turns();
  computation_ = std::make_unique<Computation>(study_, *roles_, slots_);
  if (!computation_->entered_later()) return;
  auto other = std::make_unique<Computation>(study_, *roles_, slots_, FirstPass::OfRank);
  constexpr double kClearly = 0.5;
  if (other->left_out() < kClearly * computation_->left_out()) computation_ = std::move(other);
}

void Rescaler::redraw(int draw) {
  study_.draw = draw;
  find_laws();
  find_times();
}

void Rescaler::find_laws() {
  ProgramLaws laws = find_program_laws(study_);
  roles_ = std::move(laws.roles);
  slots_ = std::move(laws.slots);
}

Trace Rescaler::trace(std::uint32_t iterations) {
  TargetTrace trace(study_, *roles_, slots_, *computation_, iterations);
  if (!dealt_.empty()) trace.insert(dealt_.back(), deal(study_, dealt_, facts_.dealt_tasks));
  return trace.build();
}

LoopCalls Rescaler::last_calls(std::uint32_t iterations) const {
  const auto ranks = static_cast<std::size_t>(study_.target.ranks);
  return last_loop_calls(study_.sequence.loops, slots_.presence, ranks, iterations);
}

double Rescaler::difference(std::uint32_t iterations, std::uint32_t) const {
  return computation_->difference(iterations);
}

}  // namespace waitdiag
