// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/computation.hpp"

#include <algorithm>
#include <cmath>

namespace waitdiag {
namespace {

RankFigures zeros(const Study& study) {
  RankFigures figures;
  for (const RunSize& size : study.sizes) figures.emplace_back(static_cast<std::size_t>(size.ranks), 0.0);
  return figures;
}

// A run without any of the calls has no figure. `otherwise`: the figure of ranks that make none where others
// do.
void divide(RankFigures& figures, const RankFigures& calls, double otherwise) {
  for (std::size_t run = 0; run < figures.size(); ++run) {
    const bool any = std::ranges::any_of(calls[run], [](double one) { return one > 0; });
    for (std::size_t rank = 0; rank < figures[run].size(); ++rank) {
      double& figure = figures[run][rank];
      figure = !any ? kAbsent : calls[run][rank] == 0 ? otherwise : figure / calls[run][rank];
    }
  }
}

// Groups of calls of MPI_Init.
std::vector<bool> starting_groups(const Study& study) {
  std::vector<bool> starting(study.sequence.group_count + 1, false);
  for (std::uint32_t call = 0; call < study.sequence.size(); ++call) {
    const auto [trace, path] = study.path_of(call);
    if (path != kNoCallPath && trace->region(path).kind == CallKind::Init)
      starting[study.sequence.groups[call]] = true;
  }
  return starting;
}

// By group: the growing loop that its calls are in; nullptr: none.
std::vector<const GrowingLoop*> loops_of_groups(const CallSequence& sequence, std::size_t groups) {
  std::vector<const GrowingLoop*> loops(groups, nullptr);
  for (std::uint32_t call = 0; call < sequence.size(); ++call)
    if (const GrowingLoop* loop = sequence.loop(call); loop != nullptr) loops[sequence.groups[call]] = loop;
  return loops;
}

// The turns of a loop may share work that does not depend on how many there are.
std::vector<Factor> with_shares_of_turns(const std::vector<Factor>& factors, const GrowingLoop& loop) {
  std::vector<Factor> all = factors;
  if (loop.in_target < 1 || std::ranges::find(loop.turns, 0) != loop.turns.end()) return all;
  constexpr double kSimple = 3, kOneMore = 1.3;
  for (const Factor& factor : factors) {
    if (!factor.uniform || factor.only_exact || factor.complexity > kSimple) continue;
    Factor& share = all.emplace_back(factor);
    share.text += "/turns";
    share.complexity += kOneMore;
    for (std::size_t run = 0; run < share.of_run.size(); ++run)
      for (double& value : share.of_run[run]) value /= loop.turns[run];
    for (double& value : share.target) value /= loop.in_target;
  }
  return all;
}

bool artificial(const Trace& trace, CallPathId path) {
  return path != kNoCallPath && trace.region(path).kind == CallKind::Artificial;
}

}  // namespace

std::uint32_t PathNames::number(const Trace& trace, CallPathId path) {
  if (path == kNoCallPath) return 0;
  const auto [known, is_new] = by_path_.try_emplace({&trace, path}, 0);
  if (is_new) {
    const auto [named, is_new_name] =
        by_name_.try_emplace(trace.call_path_name(path), static_cast<std::uint32_t>(names_.size()));
    if (is_new_name) {
      names_.push_back(named->first);
      places_[named->second] = {&trace, path};
    }
    known->second = named->second;
  }
  return known->second;
}

Computation::Computation(const Study& study, const Roles& roles, const Slots& slots, FirstPass first)
    : study_(study), call_groups_(study, slots.presence, first), groups_(call_groups_.size()) {
  for (Group& group : groups_) group.length = group.calls = zeros(study);
  for (std::size_t run = 0; run < study.runs.size(); ++run)
    for (int rank = 0; rank < study.sizes[run].ranks; ++rank) add_run(run, rank);
  const bool calls_differ = !study.sequence.ops.empty();
  if (calls_differ) follow_calls(slots.presence);
  find_roots(roles, slots.collectives);
  const std::vector<std::size_t>& used_grids = slots.used_grids;
  std::vector<Factor> factors = make_factors(study, used_grids);
  const std::vector<bool> starting = starting_groups(study);
  const std::vector<const GrowingLoop*> loops = loops_of_groups(study.sequence, groups_.size());
  for (Factor& extent : make_extent_factors(study)) {
    if (extent.text.starts_with("log2")) continue;
    extent.only_exact = true;
    factors.push_back(std::move(extent));
  }
  std::map<const GrowingLoop*, std::vector<Factor>> factors_in = {{nullptr, factors}};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    const GrowingLoop* const loop = loops[call_groups_.like(g)];
    const auto [in_loop, is_new] = factors_in.try_emplace(loop);
    if (is_new) in_loop->second = with_shares_of_turns(factors, *loop);
    const std::vector<Factor>& of_computation = in_loop->second;
    divide(group.length, group.calls, kAbsent);
    group.length_law.emplace_back(study, used_grids, factors, group.length,
                                  starting[call_groups_.like(g)] ? TimeLaw::Of::Start : TimeLaw::Of::Call);
    std::vector<const RankLabels*> labels;
    if (calls_differ) labels.push_back(&group.came_from);
    if (!group.is_root.target.empty()) labels.push_back(&group.is_root);
    const auto law = [&](const RankFigures& figures) {
      return TimeLaw(study, used_grids, of_computation, figures, TimeLaw::Of::Computation, labels);
    };
    for (auto& [path, times] : group.times) {
      divide(times, group.calls, kAbsent);
      divide(group.visits[path], group.calls, kAbsent);
      const auto growth = group.growth.find(path);
      if (growth != group.growth.end()) growth->second.find();
      group.laws.push_back({path, law(growth == group.growth.end() ? times : growth->second.of_unit(times)),
                            law(group.visits[path])});
    }
  }
}

// The root of an operation prepares what it sends, or works on what it got before.
void Computation::find_roots(const Roles& roles, const std::vector<CollectiveSlot>& slots) {
  std::map<std::size_t, std::vector<std::vector<Rank>>> members;  // by role
  for (const CollectiveSlot& slot : slots) {
    if (!slot.root.rooted()) continue;
    const auto [found, is_new] = members.try_emplace(slot.role);
    if (is_new) found->second = roles.members(slot.role);
    for (const std::vector<Rank>& comm : found->second) {
      const std::size_t root = index(slot.root_among(comm));
      RankLabels& is_root = groups_[call_groups_.in_target(slot.call, static_cast<int>(root))].is_root;
      if (is_root.target.empty()) {
        is_root.target.assign(static_cast<std::size_t>(study_.target.ranks), 0);
        for (const RunSize& size : study_.sizes)
          is_root.of_run.emplace_back(static_cast<std::size_t>(size.ranks), 0);
      }
      is_root.target[root] = 1;
    }
  }
  for (std::size_t run = 0; run < study_.runs.size(); ++run)
    for (int rank = 0; rank < study_.sizes[run].ranks; ++rank)
      for (const CollectivePart& part : study_.timeline(run, rank).collectives()) {
        if (part.op == kNoOp || part.root != Rank(rank)) continue;
        const auto at = static_cast<std::size_t>(rank);
        RankLabels& is_root = groups_[call_groups_.of_run(run, at, part.op)].is_root;
        if (!is_root.target.empty()) is_root.of_run[run][at] = 1;
      }
}

// Where ranks make different calls, what they computed before one of them depends on which one came before it.
void Computation::follow_calls(const std::vector<Presence>& presence) {
  const CallSequence& sequence = study_.sequence;
  for (Group& group : groups_) {
    group.came_from.target.assign(static_cast<std::size_t>(study_.target.ranks), kNowhere);
    for (const RunSize& size : study_.sizes)
      group.came_from.of_run.emplace_back(static_cast<std::size_t>(size.ranks), kNowhere);
  }
  for (std::size_t run = 0; run < study_.runs.size(); ++run)
    for (std::size_t rank = 0; rank < sequence.calls[run].size(); ++rank) {
      int before = kNowhere;
      for (std::uint32_t op = 0; op < sequence.calls[run][rank].size(); ++op) {
        groups_[call_groups_.of_run(run, rank, op)].came_from.of_run[run][rank] = before;
        before = static_cast<int>(call_groups_.at(sequence.made(run, rank, op).place));
      }
    }
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(study_.target.ranks); ++rank) {
    int before = kNowhere;
    for (std::uint32_t call = 0; call <= sequence.size(); ++call) {
      if (call < sequence.size() && presence[call] && !(*presence[call])[rank]) continue;
      groups_[call_groups_.in_target(call, static_cast<int>(rank))].came_from.target[rank] = before;
      before = static_cast<int>(call_groups_.at(sequence.place(call)));
    }
  }
}

void Computation::add_run(std::size_t run, int rank) {
  const Trace& trace = *study_.runs[run].trace;
  const Timeline& timeline = study_.timeline(run, rank);
  const auto at = static_cast<std::size_t>(rank);
  for (std::uint32_t op = 0; op < timeline.gaps(); ++op) {
    const CallSequence::Made made = study_.sequence.made(run, at, op);
    Group& group = groups_[call_groups_.of_run(run, at, op)];
    ++group.calls[run][at];
    if (op < timeline.size()) group.length[run][at] += static_cast<double>(timeline.length(op).count());
    for (const ComputationPiece& piece : timeline.pieces(op)) {
      if (artificial(trace, piece.call_path)) continue;
      const std::uint32_t path = paths_.number(trace, piece.call_path);
      group.times.try_emplace(path, zeros(study_)).first->second[run][at] +=
          static_cast<double>(piece.time.count());
      group.visits.try_emplace(path, zeros(study_)).first->second[run][at] += piece.visits;
      if (call_groups_.later_turn(run, at, op))
        group.growth.try_emplace(path, study_)
            .first->second.add(run, at, {made.turn, study_.sequence.turns(run, made.place)},
                               static_cast<double>(piece.time.count()));
    }
  }
}

// The rank of the largest run that is to be looked at for `rank` of the target: the nearest one that makes the call
// and comes from the same one before it.
int Computation::nearest_caller(std::uint32_t call, int rank) const {
  const int like = counterpart(study_, rank);
  const RankLabels& came_from = groups_[call_groups_.in_target(call, rank)].came_from;
  if (came_from.target.empty()) return like;
  const std::size_t last = study_.runs.size() - 1;
  const int ranks = study_.sizes.back().ranks;
  const auto fits = [&](int one) {
    if (one < 0 || one >= ranks) return false;
    const auto at = static_cast<std::size_t>(one);
    return study_.sequence.op(last, at, call) != kNoOp &&
           came_from.of_run[last][at] == came_from.target[static_cast<std::size_t>(rank)];
  };
  for (int by = 0; by < ranks; ++by)
    for (const int near : {like + by, like - by})
      if (fits(near)) return near;
  return like;
}

// What this occurrence was to the mean of its group, in the largest run.
double Computation::ratio(std::uint32_t call, int rank, std::uint32_t path) {
  const Group& group = groups_[call_groups_.in_target(call, rank)];
  const int like = nearest_caller(call, rank);
  if (group.calls.back()[static_cast<std::size_t>(like)] < 2 || study_.sequence.turn(call).number > 0)
    return 1;
  const double mean = group.times.at(path).back()[static_cast<std::size_t>(like)];
  const std::size_t last = study_.runs.size() - 1;
  const std::uint32_t op = study_.sequence.op(last, static_cast<std::size_t>(like), call);
  if (mean <= 0 || op == kNoOp) return 1;
  double here = 0;
  for (const ComputationPiece& piece : study_.timeline(last, like).pieces(op))
    if (paths_.number(study_.largest(), piece.call_path) == path)
      here += static_cast<double>(piece.time.count());
  return here / mean;
}

double Computation::growth(const Group& group, std::uint32_t path, const Turn& turn) {
  const auto found = group.growth.find(path);
  return turn.number == 0 || found == group.growth.end() ? 1 : found->second.at(turn);
}

std::vector<Computation::Piece> Computation::gap(std::uint32_t call, int rank) {
  std::vector<Piece> pieces;
  const Group& group = groups_[call_groups_.in_target(call, rank)];
  for (const PieceLaw& law : group.laws) {
    const double share = ratio(call, rank, law.path) * growth(group, law.path, study_.sequence.turn(call));
    if (share == 0) continue;  // as before the first step
    const double time = law.time.at(rank) * share;
    const auto visits = static_cast<std::uint32_t>(std::lround(law.visits.at(rank)));
    if (time >= 0.5 || visits > 0) pieces.push_back({law.path, Duration(std::llround(time)), visits});
  }
  return pieces;
}

Duration Computation::length(std::uint32_t call, int rank) const {
  return Duration(std::llround(groups_[call_groups_.in_target(call, rank)].length_law.front().at(rank)));
}

double Computation::difference(std::uint32_t iterations) const {
  double largest = 0;
  for (int rank = 0; rank < study_.sizes.back().ranks; ++rank) {
    const Timeline& timeline = study_.timeline(study_.runs.size() - 1, rank);
    double first = 0, all = 0;
    for (const CallLoop& loop : study_.sequence.loops)
      for (std::uint32_t call = 0; call < loop.length * loop.count; ++call) {
        const std::uint32_t op =
            study_.sequence.op(study_.runs.size() - 1, static_cast<std::size_t>(rank), loop.first + call);
        if (op == kNoOp) continue;
        const Duration gap = timeline.gap_end(op) - timeline.gap_begin(op);
        all += static_cast<double>(gap.count());
        if (call < loop.length * iterations) first += static_cast<double>(gap.count());
      }
    const double expected = all * iterations / study_.sequence.iterations();
    if (expected > 0) largest = std::max(largest, std::abs(first / expected - 1));
  }
  return largest;
}

double Computation::left_out() const {
  double sum = 0;
  for (const ModelOf& model : models()) sum += model.share * model.left_out;
  return sum;
}

// Where samples of the largest run lie, by group: shares of what was not instrumented.
std::vector<std::map<std::string, double>> Computation::sampled() const {
  std::vector<std::map<std::string, double>> sampled(groups_.size());
  std::vector<double> all(groups_.size(), 0);
  std::map<CallPathId, std::string> names;
  for (int rank = 0; rank < study_.sizes.back().ranks; ++rank) {
    const Timeline& timeline = study_.timeline(study_.runs.size() - 1, rank);
    for (std::uint32_t gap = 0; gap < timeline.gaps(); ++gap)
      for (const ComputationSample& sample : timeline.samples(gap)) {
        const auto [name, is_new] = names.try_emplace(sample.call_path);
        if (is_new && sample.call_path != kNoCallPath)
          name->second = study_.largest().call_path_name(sample.call_path);
        const std::uint32_t group =
            call_groups_.of_run(study_.runs.size() - 1, static_cast<std::size_t>(rank), gap);
        sampled[group][name->second] += sample.weight;
        all[group] += sample.weight;
      }
  }
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (auto& [name, share] : sampled[g]) share /= all[g];
  return sampled;
}

std::vector<Computation::ModelOf> Computation::models() const {
  std::map<std::string, ModelOf> by_path;
  std::map<std::string, double> longest;
  double all = 0;
  const auto add = [&](const std::string& path, const TimeLaw& law, double time) {
    ModelOf& model = by_path[path];
    model.call_path = path.empty() ? "(outside of known functions)" : path;
    model.share += time;
    model.left_out += time * (std::isnan(law.left_out()) ? 0 : law.left_out());
    all += time;
    if (time < longest[path]) return;
    longest[path] = time;
    model.text = law.text();
  };
  const std::vector<std::map<std::string, double>> shares = sampled();
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (const PieceLaw& law : groups_[g].laws) {
      double time = 0;
      const std::vector<double>& calls = groups_[g].calls.back();
      for (std::size_t rank = 0; rank < calls.size(); ++rank)
        time += calls[rank] > 0 ? calls[rank] * groups_[g].times.at(law.path).back()[rank] : 0;
      if (law.path != 0 || shares[g].empty()) {
        add(paths_.name(law.path), law.time, time);
        continue;
      }
      for (const auto& [path, share] : shares[g]) add(path, law.time, share * time);
    }
  std::vector<ModelOf> models;
  for (auto& [path, model] : by_path) {
    if (model.share <= 0) continue;
    model.left_out /= model.share;
    model.share /= all;
    models.push_back(std::move(model));
  }
  std::stable_sort(models.begin(), models.end(),
                   [](const ModelOf& a, const ModelOf& b) { return a.share > b.share; });
  return models;
}

}  // namespace waitdiag
