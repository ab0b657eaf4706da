// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/quantity_laws/time_law.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "analyzer/scaling/laws/few_terms.hpp"
#include "analyzer/scaling/quantity_laws/load_profile.hpp"

namespace waitdiag {
namespace {

// The class of a rank, at a size with this number of ranks and this grid.
using Classify = std::function<int(int rank, int ranks, const Grid* grid)>;
struct RankPartition {
  const GridLaw* law = nullptr;
  Classify classify{};
  const RankLabels* labels = nullptr;
  int class_of(const Study& study, std::size_t run, int rank) const {
    if (labels != nullptr) return labels->of_run[run][static_cast<std::size_t>(rank)];
    return classify(rank, study.sizes[run].ranks, law == nullptr ? nullptr : &law->of_run[run]);
  }
  int class_in_target(const Study& study, int rank) const {
    if (labels != nullptr) return labels->target[static_cast<std::size_t>(rank)];
    return classify(rank, study.target.ranks, law == nullptr ? nullptr : &law->target);
  }
};

int edges_of(int rank, const Grid& grid) {
  int edges = 0;
  const std::vector<int> at = grid.coordinates(rank);
  for (std::size_t d = 0; d < at.size(); ++d)
    edges = 4 * edges + (at[d] == 0 ? 1 : 0) + (at[d] == grid.extents[d] - 1 ? 2 : 0);
  return edges;
}

std::vector<RankPartition> partitions_of(const Study& study, const std::vector<std::size_t>& grids,
                                         const std::vector<const RankLabels*>& labels) {
  std::vector<RankPartition> partitions;
  const auto add = [&](Classify classify) { partitions.push_back({nullptr, std::move(classify)}); };
  add([](int, int, const Grid*) { return 0; });
  add([](int rank, int, const Grid*) { return rank == 0 ? 1 : 0; });
  add([](int rank, int ranks, const Grid*) { return rank == ranks - 1 ? 1 : 0; });
  add([](int rank, int ranks, const Grid*) { return rank == 0 ? 1 : rank == ranks - 1 ? 2 : 0; });
  constexpr int kMostApart = 4;
  for (int first = 2; first <= kMostApart; ++first)
    add([first](int rank, int, const Grid*) { return std::min(rank, first); });
  for (const std::size_t grid : grids)
    partitions.push_back(
        {&study.grids[grid], [](int rank, int, const Grid* shape) { return edges_of(rank, *shape); }});
  for (const RankLabels* const one : labels) partitions.push_back({.labels = one});
  return partitions;
}

struct ClassMeans {
  std::map<int, std::vector<double>> mean{};  // by class and run; kAbsent: no rank is in it there
  std::map<int, double> noise{};  // by class: relative standard error of these, the mean of all runs
  // Mean squared relative difference of a rank from its class, per degree of freedom: classes of one or two ranks explain
  // any difference. Huge: every rank has a class of its own.
  double spread = 0;
};

ClassMeans means_of(const Study& study, const RankFigures& times, const RankPartition& partition) {
  std::map<int, std::vector<double>> sum, count;
  const auto each = [&](auto visit) {
    for (std::size_t run = 0; run < times.size(); ++run)
      for (std::size_t rank = 0; rank < times[run].size(); ++rank)
        if (times[run][rank] != kAbsent)
          visit(partition.class_of(study, run, static_cast<int>(rank)), run, times[run][rank]);
  };
  each([&](int which, std::size_t run, double time) {
    sum[which].resize(times.size());
    count[which].resize(times.size());
    sum[which][run] += time;
    ++count[which][run];
  });
  ClassMeans means;
  for (const auto& [which, sums] : sum)
    for (std::size_t run = 0; run < sums.size(); ++run)
      means.mean[which].push_back(count[which][run] > 0 ? sums[run] / count[which][run] : kAbsent);
  double all = 0, known = 0;
  for (const auto& [which, counts] : count)
    known += static_cast<double>(std::ranges::count_if(counts, [](double one) { return one > 0; }));
  std::map<int, std::vector<double>> squares;
  each([&](int which, std::size_t run, double time) {
    const double mean = means.mean[which][run];
    const double square = mean > 0 ? (time / mean - 1) * (time / mean - 1) : 0;
    means.spread += square;
    squares[which].resize(times.size());
    squares[which][run] += square;
    ++all;
  });
  if (all > known)
    means.spread /= all - known;
  else if (means.mean.size() > 1)
    means.spread = HUGE_VAL;
  constexpr double kPart = 0.5;  // some of the differences have a reason that is the same in all runs
  for (const auto& [which, sums] : squares) {
    double errors = 0, runs = 0;
    for (std::size_t run = 0; run < sums.size(); ++run) {
      const double ranks = count[which][run];
      if (ranks < 2) continue;
      errors += std::sqrt(sums[run] / (ranks - 1) / ranks);
      ++runs;
    }
    means.noise[which] = runs > 0 ? kPart * errors / runs : 0;
  }
  return means;
}

// In which the class is.
std::ptrdiff_t runs_with(const std::vector<double>& mean) {
  return std::ranges::count_if(mean, [](double one) { return one != kAbsent; });
}

// Is every class of the target in at least that many runs?
bool covers(const Study& study, const ClassMeans& means, const RankPartition& partition, std::size_t least) {
  for (int rank = 0; rank < study.target.ranks; ++rank) {
    const auto found = means.mean.find(partition.class_in_target(study, rank));
    const bool known = found != means.mean.end();
    if (!known && (partition.law != nullptr || partition.labels != nullptr))
      continue;  // it does not compute here
    if (!known || std::cmp_less(runs_with(found->second), least)) return false;
  }
  return true;
}

struct ClassLaw {
  double value = 0, left_out = 0;
  std::string text{};
  const Factor* factor = nullptr;  // the first one
};

// One run: a block of a distributed array takes its share of the time, a call takes what it took.
ClassLaw law_of_share(const std::vector<Factor>& factors, double mean, TimeLaw::Of what) {
  const auto found =
      std::ranges::find(factors, what == TimeLaw::Of::Computation ? "1/p" : "1", &Factor::text);
  const Factor& factor = found == factors.end() ? factors.front() : *found;
  return {mean / factor.at(0, 0) * factor.at_target(0), std::numeric_limits<double>::quiet_NaN(),
          factor.text};
}

// Means over all ranks that have any time, regardless of class; by run.
std::vector<double> pooled_means(const RankFigures& times) {
  std::vector<double> means;
  for (const std::vector<double>& run : times) {
    double sum = 0, count = 0;
    for (const double time : run) {
      sum += std::max(0.0, time);
      count += time > 0 ? 1 : 0;
    }
    means.push_back(count > 0 ? sum / count : kAbsent);
  }
  return means;
}

// For a class that only one of several runs has.
ClassLaw as_it_was(const std::vector<double>& means) {
  return {*std::ranges::max_element(means), std::numeric_limits<double>::quiet_NaN(), "1 (in one run only)"};
}

// The time of each run follows it exactly: extents of grids double at some sizes only. nullptr: none does.
// `left_out`: the error of the best of all other factors.
const Factor* exact_factor(const std::vector<Factor>& factors, const std::vector<double>& means,
                           double left_out) {
  constexpr double kRounding = 1e-3, kInexact = 5e-3;
  constexpr std::ptrdiff_t kFewest = 3;
  if (left_out <= kInexact || runs_with(means) < kFewest || means.back() <= 0) return nullptr;
  const Factor* best = nullptr;
  for (const Factor& factor : factors) {
    if (!factor.only_exact || (best != nullptr && best->complexity <= factor.complexity)) continue;
    double least = HUGE_VAL, most = 0;
    for (std::size_t run = 0; run < means.size(); ++run) {
      if (means[run] == kAbsent) continue;
      least = std::min(least, means[run] / factor.at(run, 0));
      most = std::max(most, means[run] / factor.at(run, 0));
    }
    if (most <= (1 + kRounding) * least) best = &factor;
  }
  return best;
}

enum class Factors : std::uint8_t { One, UpToTwo };

ClassLaw law_of(const std::vector<Factor>& factors, const std::vector<double>& means, TimeLaw::Of what,
                double noise = 0, Factors most = Factors::UpToTwo) {
  const bool of_calls = what == TimeLaw::Of::Call;
  if (runs_with(means) == 1) return as_it_was(means);
  std::vector<TermColumn> columns;
  std::vector<const Factor*> used;
  std::vector<double> y;
  for (const double mean : means)
    if (mean != kAbsent) y.push_back(mean);
  for (const Factor& factor : factors) {
    if (!factor.uniform || factor.only_exact || (of_calls && !factor.of_calls)) continue;
    used.push_back(&factor);
    TermColumn& column = columns.emplace_back();
    column.complexity = factor.complexity;
    for (std::size_t run = 0; run < means.size(); ++run)
      if (means[run] != kAbsent) column.at.push_back(factor.at(run, 0));
  }
  std::vector<TermChoice> choices;
  for (std::size_t a = 0; a < columns.size(); ++a) {
    choices.push_back({a});
    for (std::size_t b = a + 1; b < columns.size() && y.size() > 2 && !of_calls && most != Factors::One; ++b)
      choices.push_back({a, b});
  }
  const FewTerms model = choose_terms(columns, choices, y, noise);
  ClassLaw law{.value = model.first * used[model.terms.first]->at_target(0),
               .left_out = model.left_out,
               .text = used[model.terms.first]->text,
               .factor = used[model.terms.first]};
  if (const Factor* const exact = exact_factor(factors, means, law.left_out); exact != nullptr)
    return {means.back() / exact->at(means.size() - 1, 0) * exact->at_target(0), 0, exact->text, exact};
  if (of_calls && means.back() != kAbsent)
    law.value = means.back() / columns[model.terms.first].at.back() * used[model.terms.first]->at_target(0);
  if (model.terms.second) {
    law.value += model.second * used[*model.terms.second]->at_target(0);
    law.text += " + " + used[*model.terms.second]->text;
  }
  return law;
}

// `mean`: of a class that only one run has, in which `pooled` is that of all ranks.
void follow_the_others(const std::vector<Factor>& factors, const std::vector<double>& mean,
                       const std::vector<double>& pooled, ClassLaw& law) {
  const std::size_t run = static_cast<std::size_t>(
      std::ranges::find_if(mean, [](double one) { return one != kAbsent; }) - mean.begin());
  if (runs_with(pooled) < 2 || pooled[run] <= 0) return;
  law = law_of(factors, pooled, TimeLaw::Of::Computation);
  law.value *= mean[run] / pooled[run];
}

// Squared relative differences.
constexpr double kClearly = 0.25, kAlike = 1e-6;

// Finer classes have to explain three quarters of the remaining difference, which must be large enough to matter. A class that
// only one of several runs has says little: it is used only where ranks otherwise differ by a tenth. What a rank did before is a
// reason; that the same ranks lie at an edge in all runs may be chance.
std::pair<RankPartition, ClassMeans> choose_partition(const Study& study,
                                                      const std::vector<std::size_t>& grids,
                                                      const RankFigures& times,
                                                      const std::vector<const RankLabels*>& labels) {
  constexpr double kFarApart = 1e-2;
  const std::vector<RankPartition> all = partitions_of(study, grids, labels);
  std::pair<RankPartition, ClassMeans> best{all.front(), means_of(study, times, all.front())};
  const auto refine = [&](double enough, std::size_t runs) {
    for (std::size_t i = 1; i < all.size() && best.second.spread > enough; ++i) {
      ClassMeans means = means_of(study, times, all[i]);
      if (means.spread < kClearly * best.second.spread && covers(study, means, all[i], runs))
        best = {all[i], std::move(means)};
    }
  };
  refine(kAlike, std::min<std::size_t>(2, study.runs.size()));
  refine(kFarApart, 1);
  for (const RankPartition& one : all) {
    if (one.labels == nullptr || best.first.labels != nullptr) continue;
    ClassMeans means = means_of(study, times, one);
    if (means.mean.size() > 1 && means.spread <= best.second.spread + kAlike &&
        covers(study, means, one, study.runs.size()))
      best = {one, std::move(means)};
  }
  return best;
}

// The class that most ranks of the largest run are in.
int usual_class(const Study& study, const RankFigures& times, const RankPartition& partition) {
  std::map<int, int> members;
  for (std::size_t rank = 0; rank < times.back().size(); ++rank)
    if (times.back()[rank] != kAbsent)
      ++members[partition.class_of(study, study.runs.size() - 1, static_cast<int>(rank))];
  return members.empty()
             ? 0
             : std::ranges::max_element(members, {}, [](const auto& one) { return one.second; })->first;
}

// Ranks of a class may do all that the usual ones do, and more: then what they do beyond has a law of its own,
// where that explains them better than one for everything.
void add_to_usual(const std::vector<Factor>& factors, const std::vector<double>& usual,
                  const ClassLaw& usual_law, const std::vector<double>& mean, ClassLaw& law) {
  std::vector<double> beyond;
  for (std::size_t run = 0; run < mean.size(); ++run) {
    if (mean[run] == kAbsent || usual[run] == kAbsent || mean[run] < usual[run]) return;
    beyond.push_back(mean[run] - usual[run]);
  }
  if (beyond.size() < 3 || mean.back() <= 0 || beyond.back() <= 0) return;
  const ClassLaw more = law_of(factors, beyond, TimeLaw::Of::Computation);
  const double left_out = (more.left_out * beyond.back() + usual_law.left_out * usual.back()) / mean.back();
  constexpr double kClearly = 0.5;
  if (!(left_out < kClearly * law.left_out)) return;
  law = {more.value + usual_law.value, left_out, usual_law.text + ", and " + more.text};
}

// The factor that classes in all runs follow, and all ranks together: the one that fits best. nullptr: too few runs.
const Factor* common_factor(const std::vector<Factor>& factors,
                            const std::map<int, std::vector<double>>& means,
                            const std::vector<double>& pooled) {
  const ClassLaw of_all = law_of(factors, pooled, TimeLaw::Of::Computation, 0, Factors::One);
  const Factor* best = of_all.factor;
  double left_out = of_all.left_out;
  for (const auto& [which, mean] : means) {
    const bool idle = std::ranges::all_of(mean, [](double one) { return one <= 0; });  // any factor fits
    if (idle || runs_with(mean) < runs_with(pooled)) continue;
    const ClassLaw law = law_of(factors, mean, TimeLaw::Of::Computation, 0, Factors::One);
    if (law.factor == nullptr || !(law.left_out < left_out)) continue;
    best = law.factor;
    left_out = law.left_out;
  }
  return best;
}

// Few runs have the class, such as the ranks inside of a grid, or its ranks differ by chance: where it follows the factor
// of the others as well, that one says more, because it comes from more runs and ranks. (Any factor fits two runs that it
// does not change between, and two of them fit any noise.)
void follow_common(const std::vector<double>& mean, const Factor& common, ClassLaw& law) {
  constexpr double kSteady = 1.15;  // between sizes that double, other factors differ by more
  double least = HUGE_VAL, most = 0, last = 0;
  for (std::size_t run = 0; run < mean.size(); ++run) {
    if (mean[run] == kAbsent) continue;
    last = mean[run] / common.at(run, 0);
    least = std::min(least, last);
    most = std::max(most, last);
  }
  if (most > kSteady * least) return;
  law.value = last * common.at_target(0);
  law.text = common.text;
}

}  // namespace

bool TimeLaw::follow_profile(const Study& study, const std::vector<Factor>& factors, const RankFigures& times,
                             double spread) {
  const auto profile = find_profile(study, times, kClearly * spread);
  if (!profile) return false;
  // Where it is not the same curve in all runs, such as parts that do not divide evenly, its scale follows no law as
  // well as the means do.
  constexpr double kRounding = 1e-3;
  const ClassLaw law = law_of(factors, profile->scale, Of::Computation);
  if (law.left_out > law_of(factors, pooled_means(times), Of::Computation).left_out + kRounding) return false;
  for (std::size_t rank = 0; rank < at_.size(); ++rank) at_[rank] = law.value * profile->in_target[rank];
  left_out_ = law.left_out;
  text_ = law.text + ", " + profile->text;
  return true;
}

TimeLaw::TimeLaw(const Study& study, const std::vector<std::size_t>& grids,
                 const std::vector<Factor>& factors, const RankFigures& times, Of what,
                 const std::vector<const RankLabels*>& labels) {
  at_.assign(static_cast<std::size_t>(study.target.ranks), 0);
  const auto [partition, means] = choose_partition(study, grids, times, labels);
  if (what == Of::Computation && means.spread > kAlike && follow_profile(study, factors, times, means.spread))
    return;
  std::map<int, ClassLaw> laws;
  for (const auto& [which, mean] : means.mean)
    laws[which] = study.runs.size() == 1 || what == Of::Start
                      ? law_of_share(factors, mean.back(), what)
                      : law_of(factors, mean, what, means.noise.at(which));
  if (what == Of::Computation && study.runs.size() > 1) {
    const std::vector<double> pooled = pooled_means(times);
    constexpr double kByChance = 5e-3;  // relative difference of a rank from its class
    const bool noisy = means.spread > kByChance * kByChance;
    const Factor* common = nullptr;
    for (const auto& [which, mean] : means.mean) {
      const auto runs = runs_with(mean);
      // There may be ranks inside a grid only in the largest run: their time changes like that of the others.
      if (runs == 1 && partition.law != nullptr) follow_the_others(factors, mean, pooled, laws[which]);
      if (runs < 2 || (runs >= runs_with(pooled) && !noisy)) continue;
      if (common == nullptr) common = common_factor(factors, means.mean, pooled);
      if (common != nullptr) follow_common(mean, *common, laws[which]);
    }
    const int usual = usual_class(study, times, partition);
    const auto found = means.mean.find(usual);
    for (const auto& [which, mean] : means.mean)
      if (which != usual && found != means.mean.end())
        add_to_usual(factors, found->second, laws[usual], mean, laws[which]);
  }
  std::map<int, int> members;
  const std::size_t last = study.runs.size() - 1;
  for (int rank = 0; rank < study.target.ranks; ++rank) {
    const int which = partition.class_in_target(study, rank);
    if (!laws.contains(which)) continue;
    double time = laws[which].value;
    const int like = counterpart(study, rank);
    const double mean = means.mean.at(which)[last];
    const double here = times[last][static_cast<std::size_t>(like)];
    if (here != kAbsent && mean > 0 && partition.class_of(study, last, like) == which) time *= here / mean;
    at_[static_cast<std::size_t>(rank)] = time;
    ++members[which];
  }
  const auto most = std::max_element(members.begin(), members.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == members.end()) return;
  left_out_ = laws[most->first].left_out;
  text_ = laws[most->first].text;
}

}  // namespace waitdiag
