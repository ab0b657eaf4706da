// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/quantity_laws/study.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

namespace waitdiag {
namespace {

// The inputs of factors for one size: a run, or the target.
struct FactorPlace {
  const RunSize& size;
  std::vector<const Grid*> grids{};  // those in use
};

class FactorList {
 public:
  FactorList(const Study& study, const std::vector<std::size_t>& used) : target_{study.target} {
    for (std::size_t run = 0; run < study.sizes.size(); ++run) {
      runs_.push_back({study.sizes[run]});
      for (const std::size_t law : used) runs_.back().grids.push_back(&study.grids[law].of_run[run]);
    }
    for (const std::size_t law : used) target_.grids.push_back(&study.grids[law].target);
  }

  template <typename Value>
  Factor& add(std::string text, double complexity, bool integral, Value value, bool of_calls = false) {
    Factor factor{
        .text = std::move(text), .complexity = complexity, .integral = integral, .of_calls = of_calls};
    for (const FactorPlace& run : runs_) factor.of_run.push_back({value(run)});
    factor.target = {value(target_)};
    return all_.emplace_back(std::move(factor));
  }
  template <typename Value>
  void add_by_rank(std::string text, double complexity, Value value) {
    Factor factor{.text = std::move(text), .complexity = complexity, .uniform = false, .integral = true};
    const auto values = [&](const FactorPlace& place) {
      std::vector<double> list;
      for (int rank = 0; rank < place.size.ranks; ++rank) list.push_back(value(place, rank));
      return list;
    };
    for (const FactorPlace& run : runs_) factor.of_run.push_back(values(run));
    factor.target = values(target_);
    all_.push_back(std::move(factor));
  }
  // Multiplies each factor so far by powers of the problem's size, and by its logarithm.
  void multiply(const std::string& name) {
    const std::size_t before = all_.size();
    constexpr int kHighestPower = 3;
    for (int step = 0; step < 2 * kHighestPower; ++step)
      for (std::size_t i = 0; i < before; ++i) {
        Factor factor = all_[i];
        const int power = step / 2 + 1;
        const bool logarithm = step % 2 == 1;
        const auto by = [&](const FactorPlace& place) {
          const double value = place.size.problem.at(name);
          return std::pow(value, power) * (logarithm ? std::log2(std::max(value, 1.0)) : 1);
        };
        for (std::size_t run = 0; run < runs_.size(); ++run)
          for (double& value : factor.of_run[run]) value *= by(runs_[run]);
        for (double& value : factor.target) value *= by(target_);
        if (logarithm) {
          factor.integral = false;
          factor.complexity += 1;
        }
        factor.text = name + (power > 1 ? "^" + std::to_string(power) : "") +
                      (logarithm ? " * log2(" + name + ")" : "") + " * " + factor.text;
        factor.complexity += power;
        all_.push_back(std::move(factor));
      }
  }
  const FactorPlace& target() const { return target_; }
  std::vector<Factor> take() { return std::move(all_); }

 private:
  std::vector<FactorPlace> runs_;
  FactorPlace target_;
  std::vector<Factor> all_;
};

// Products of the extents of some dimensions of a grid: surfaces and lines of a block of cells.
void add_surfaces(FactorList& list) {
  for (std::size_t g = 0; g < list.target().grids.size(); ++g) {
    const std::size_t dimensions = list.target().grids[g]->extents.size();
    for (unsigned part = 1; part + 1 < 1u << dimensions; ++part) {
      std::string text = "1/(";
      for (std::size_t d = 0; d < dimensions; ++d)
        if ((part >> d & 1) != 0) text += (text.size() > 3 ? "*p" : "p") + std::to_string(d + 1);
      list.add(text + ")", 2, true, [=](const FactorPlace& place) {
        double product = 1;
        for (std::size_t d = 0; d < dimensions; ++d)
          if ((part >> d & 1) != 0) product /= place.grids[g]->extents[d];
        return product;
      });
    }
  }
}

// Extents of grids of two and three dimensions, with their products and ratios.
void add_extents(FactorList& list) {
  for (std::size_t g = 0; g < list.target().grids.size(); ++g) {
    const std::size_t dimensions = list.target().grids[g]->extents.size();
    if (dimensions < 2) continue;
    std::size_t choices = 1;
    for (std::size_t d = 0; d < dimensions; ++d) choices *= 3;
    for (std::size_t choice = 0; choice < choices; ++choice) {
      std::vector<int> powers;
      double complexity = 0;
      std::string text;
      for (std::size_t d = 0, rest = choice; d < dimensions; ++d, rest /= 3) {
        powers.push_back(static_cast<int>(rest % 3) - 1);
        if (powers.back() == 0) continue;
        complexity += powers.back() < 0 ? 3 : 3.5;
        text += (text.empty() ? "d" : " * d") + std::to_string(d + 1) + (powers.back() < 0 ? "^-1" : "");
      }
      if (text.empty()) continue;
      list.add(text, complexity, true, [=](const FactorPlace& place) {
        double product = 1;
        for (std::size_t d = 0; d < dimensions; ++d)
          product *= std::pow(static_cast<double>(place.grids[g]->extents[d]), powers[d]);
        return product;
      });
    }
  }
}

// Cells of a rank's block where the extents do not divide the problem: n/p rounded down; the first ranks of a
// dimension may have one more.
void add_blocks(FactorList& list, const std::string& name) {
  for (std::size_t g = 0; g < list.target().grids.size(); ++g) {
    const std::size_t dimensions = list.target().grids[g]->extents.size();
    for (unsigned part = 1; part < 1u << dimensions; ++part)
      for (const bool even : {false, true})
        list.add_by_rank(even ? "block of cells" : "block of cells, rounded down", even ? 5 : 4,
                         [=](const FactorPlace& place, int rank) {
                           const std::vector<int> at = place.grids[g]->coordinates(rank);
                           const auto cells = static_cast<int>(place.size.problem.at(name));
                           double product = 1;
                           for (std::size_t d = 0; d < dimensions; ++d) {
                             if ((part >> d & 1) == 0) continue;
                             const int extent = place.grids[g]->extents[d];
                             const int mine = cells / extent + (even && at[d] < cells % extent ? 1 : 0);
                             product *= mine;
                           }
                           return product;
                         });
  }
}

// Ranks in the part of a binomial tree that hangs on a rank: those that it gathers from, or scatters to.
void add_trees(FactorList& list) {
  const auto below = [](const FactorPlace& place, int rank) {
    const int ranks = place.size.ranks;
    return static_cast<double>(rank == 0 ? ranks : std::min(rank & -rank, ranks - rank));
  };
  list.add_by_rank("ranks below in a tree", 4.5, below);
  list.add_by_rank("ranks below in a tree / p", 5, [below](const FactorPlace& place, int rank) {
    return below(place, rank) / place.size.ranks;
  });
}

bool varies(const Study& study, const std::string& name) {
  for (const RunSize& size : study.sizes)
    if (size.problem.at(name) != study.target.problem.at(name)) return true;
  return false;
}

bool ranks_vary(const Study& study) {
  for (const RunSize& size : study.sizes)
    if (size.ranks != study.target.ranks) return true;
  return false;
}

}  // namespace

std::optional<int> FixedPlace::among(int ranks) const {
  if (parts == 0) return number < 0 ? (number % ranks + ranks) % ranks : number % ranks;
  return ranks % parts == 0 ? std::optional(number * (ranks / parts)) : std::nullopt;
}

std::vector<FixedPlace> readings_of_place(int place, int ranks) {
  std::vector<FixedPlace> all;
  if (place < ranks) all.push_back({place});
  if (place > 0 && place < ranks) all.push_back({place - ranks});
  std::ranges::stable_sort(all, {}, [](const FixedPlace& one) { return std::abs(one.number); });
  for (const int parts : {2, 3, 4, 8})
    if (place > 0 && place * parts % ranks == 0) {
      all.push_back({place * parts / ranks, parts});
      break;
    }
  return all;
}

std::pair<const Trace*, CallPathId> Study::path_of(std::uint32_t call) const {
  for (std::size_t run = runs.size(); run-- > 0;)
    for (std::size_t rank = 0; rank < runs[run].trace->ranks(); ++rank)
      if (const std::uint32_t op = sequence.op(run, rank, sequence.place(call), 0); op != kNoOp)
        return {runs[run].trace, timeline(run, static_cast<int>(rank)).call_path(op)};
  return {&largest(), kNoCallPath};
}

Instances each_run(const Study& study) {
  Instances all;
  for (std::size_t run = 0; run < study.runs.size(); ++run) all.push_back({run});
  return all;
}

RankFigures by_run(const Study& study, const Instances& instances, const RankFigures& figures) {
  RankFigures sums = by_rank(study, each_run(study), 0.0), counts = sums;
  for (std::size_t i = 0; i < instances.size(); ++i)
    for (std::size_t rank = 0; rank < figures[i].size(); ++rank) {
      if (figures[i][rank] == kAbsent) continue;
      sums[instances[i].run][rank] += figures[i][rank];
      ++counts[instances[i].run][rank];
    }
  for (std::size_t run = 0; run < sums.size(); ++run)
    for (std::size_t rank = 0; rank < sums[run].size(); ++rank)
      sums[run][rank] = counts[run][rank] > 0 ? sums[run][rank] / counts[run][rank] : kAbsent;
  return sums;
}

std::vector<Factor> make_factors(const Study& study, const std::vector<std::size_t>& used) {
  FactorList list(study, used);
  const auto power = [](double exponent) {
    return [exponent](const FactorPlace& place) { return std::pow(place.size.ranks, exponent); };
  };
  list.add(
      "1", 0, true, [](const FactorPlace&) { return 1.0; }, true);
  if (ranks_vary(study)) {
    list.add("1/p", 1, true, power(-1));
    add_surfaces(list);
    list.add("p", 2, true, power(1), true);
    list.add("1/p^2", 2.5, true, power(-2));
    list.add(
        "log2(p)", 2.5, false, [](const FactorPlace& place) { return std::log2(place.size.ranks); }, true);
    list.add("p^(-2/3)", 4, false, power(-2.0 / 3));
    list.add("p^(-1/2)", 4, false, power(-0.5));
    list.add("p^(1/2)", 4, false, power(0.5));
    list.add("p^2", 5, false, power(2)).only_exact = true;
    add_trees(list);
  }
  for (const auto& [name, value] : study.target.problem) {
    if (varies(study, name)) list.multiply(name);
    add_blocks(list, name);
  }
  return list.take();
}

std::vector<Factor> make_extent_factors(const Study& study) {
  std::vector<std::size_t> all;
  for (std::size_t g = 0; g < study.grids.size(); ++g)
    if (!study.grids[g].target.periodic.front()) all.push_back(g);
  FactorList list(study, all);
  add_extents(list);
  list.add("log2(p)", 6, true, [](const FactorPlace& place) { return std::log2(place.size.ranks); });
  list.add("log2(p)/p", 6.5, true,
           [](const FactorPlace& place) { return std::log2(place.size.ranks) / place.size.ranks; });
  for (const auto& [name, value] : study.target.problem)
    if (varies(study, name)) list.multiply(name);
  return list.take();
}

std::vector<Factor> make_face_factors(const Study& study, std::size_t law, const std::vector<int>& offset) {
  FactorList list(study, {law});
  list.add("face", 1, true, [&](const FactorPlace& place) {
    double product = 1;
    for (std::size_t d = 0; d < offset.size(); ++d)
      if (offset[d] == 0) product /= place.grids.front()->extents[d];
    return product;
  });
  for (const auto& [name, value] : study.target.problem)
    if (varies(study, name)) list.multiply(name);
  return list.take();
}

std::vector<Factor> make_member_factors(const Study& study, const std::vector<double>& members,
                                        double in_target) {
  struct Powers {
    const char* text;
    double complexity, of_members, of_ranks;
  };
  constexpr Powers kPowers[] = {{"1/m", 1.5, -1, 0},      {"m", 2.2, 1, 0},    {"m/p", 2.2, 1, -1},
                                {"1/(m*p)", 2.6, -1, -1}, {"p/m", 2.6, -1, 1}, {"m^2/p", 3, 2, -1},
                                {"1/m^2", 3, -2, 0},      {"m^2", 3.5, 2, 0}};
  std::vector<Factor> factors;
  for (const Powers& powers : kPowers) {
    const auto value = [&](double m, int p) {
      return std::pow(m, powers.of_members) * std::pow(p, powers.of_ranks);
    };
    Factor& factor = factors.emplace_back();
    factor.text = powers.text;
    factor.complexity = powers.complexity;
    factor.integral = true;
    for (std::size_t run = 0; run < members.size(); ++run)
      factor.of_run.push_back({value(members[run], study.sizes[run].ranks)});
    factor.target = {value(in_target, study.target.ranks)};
  }
  return factors;
}

namespace {

int as_far_from_both_ends(int rank, int ranks, int other_ranks) {
  if (ranks == 1) return 0;
  return static_cast<int>(std::lround(static_cast<double>(rank) * (other_ranks - 1) / (ranks - 1)));
}

// How long ranks compute before some of the calls, for each the mean of all ranks is 1. By call and rank.
std::vector<std::vector<double>> profiles(const Study& study, std::size_t run, std::uint32_t most_calls) {
  std::vector<std::vector<double>> all;
  const auto ranks = static_cast<std::size_t>(study.sizes[run].ranks);
  for (std::uint32_t call = 0; call < std::min(most_calls, study.sequence.size()); ++call) {
    std::vector<double> profile(ranks, 0);
    double sum = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::uint32_t op = study.sequence.op(run, rank, call);
      if (op == kNoOp) continue;
      const Timeline& timeline = study.timeline(run, static_cast<int>(rank));
      profile[rank] = static_cast<double>((timeline.gap_end(op) - timeline.gap_begin(op)).count());
      sum += profile[rank];
    }
    for (double& one : profile) one = sum > 0 ? one * static_cast<double>(ranks) / sum : 0;
    all.push_back(std::move(profile));
  }
  return all;
}

}  // namespace

int counterpart(const Study& study, int rank) {
  const int ranks = study.sizes.back().ranks;
  return study.in_turns ? rank % ranks : as_far_from_both_ends(rank, study.target.ranks, ranks);
}

bool ranks_take_turns(const Study& study) {
  constexpr std::uint32_t kCalls = 64;
  constexpr double kClearly = 0.5;
  if (study.runs.size() < 2) return false;
  const std::size_t last = study.runs.size() - 1;
  const int ranks = study.sizes[last].ranks, fewer = study.sizes[last - 1].ranks;
  if (fewer == ranks) return false;
  const auto large = profiles(study, last, kCalls), small = profiles(study, last - 1, kCalls);
  double off_in_turns = 0, off_by_place = 0;
  for (std::size_t call = 0; call < large.size(); ++call)
    for (int rank = 0; rank < ranks; ++rank) {
      const double here = large[call][static_cast<std::size_t>(rank)];
      const auto off = [&](int like) { return std::abs(here - small[call][static_cast<std::size_t>(like)]); };
      off_in_turns += off(rank % fewer);
      off_by_place += off(as_far_from_both_ends(rank, ranks, fewer));
    }
  return off_in_turns < kClearly * off_by_place;
}

}  // namespace waitdiag
