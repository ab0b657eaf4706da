// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/sequences/turn_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace waitdiag {
namespace {

struct Quantity {
  std::string text{};
  std::vector<double> of_run{};
  double in_target = 0;
  double complexity = 0;
  int tree = 0;  // 2: a logarithm; more: partners of the root of such a tree
};

class Quantities {
 public:
  explicit Quantities(const Sizes& sizes) : sizes_(sizes) {
    add("p", [](const RunSize& size, const Grid*) { return size.ranks; });
    for (const auto& [name, value] : sizes.target.problem)
      add(name, [key = name](const RunSize& size, const Grid*) {
        return size.problem.contains(key) ? size.problem.at(key) : 0;
      });
    for (const GridLaw& law : sizes.grids)
      for (std::size_t d = 0; law.target.extents.size() > 1 && d < law.target.extents.size(); ++d)
        add(
            fmt::format("d{}", d + 1), [d](const RunSize&, const Grid* grid) { return grid->extents[d]; },
            &law);
    const std::size_t count = all_.size();
    for (std::size_t i = 0; i < count; ++i) add_logarithm(all_[i]);
    for (std::size_t i = 0; i < count; ++i)
      for (const TreeOf& tree : kTrees) add_tree(all_[i], tree.ranks);
  }
  const std::vector<Quantity>& all() const { return all_; }

 private:
  using Value = std::function<double(const RunSize& size, const Grid* grid)>;
  void add(std::string text, const Value& value, const GridLaw* law = nullptr) {
    constexpr double kDimension = 0.6;  // grids of more dimensions are less likely
    Quantity quantity{.text = std::move(text)};
    if (law != nullptr) quantity.complexity = kDimension * static_cast<double>(law->target.extents.size());
    for (std::size_t run = 0; run < sizes_.runs.size(); ++run)
      quantity.of_run.push_back(value(sizes_.runs[run], law == nullptr ? nullptr : &law->of_run[run]));
    quantity.in_target = value(sizes_.target, law == nullptr ? nullptr : &law->target);
    all_.push_back(std::move(quantity));
  }
  // The logarithm as counted by loops that double a distance.
  void add_logarithm(const Quantity& of) {
    const auto doublings = [](double value) { return value >= 1 ? std::ceil(std::log2(value)) : 0; };
    Quantity quantity{.text = fmt::format("log2({})", of.text),
                      .in_target = doublings(of.in_target),
                      .complexity = of.complexity,
                      .tree = 2};
    for (const double value : of.of_run) quantity.of_run.push_back(doublings(value));
    add_sum(quantity);
    all_.push_back(std::move(quantity));
  }
  // The partners of the first one of so many, level by level.
  void add_tree(const Quantity& of, int tree) {
    const auto partners = [&](double value) {
      const auto ranks = static_cast<std::int64_t>(std::ceil(value));
      int count = 0;
      for (std::int64_t by = 1; by < ranks; by *= tree)
        for (int branch = 1; branch < tree && branch * by < ranks; ++branch) ++count;
      return count;
    };
    Quantity quantity{.text = fmt::format("partners of the root of a {}-ary tree of {}", tree, of.text),
                      .in_target = static_cast<double>(partners(of.in_target)),
                      .complexity = of.complexity,
                      .tree = tree};
    for (const double value : of.of_run) quantity.of_run.push_back(partners(value));
    all_.push_back(std::move(quantity));
  }
  // One turn, then two, then three ..., up to the logarithm: a loop in a loop.
  void add_sum(const Quantity& logarithm) {
    const auto sum = [](double value) { return value * (value + 1) / 2; };
    Quantity quantity{.text = fmt::format("(1 + 2 + ... + {})", logarithm.text),
                      .in_target = sum(logarithm.in_target),
                      .complexity = logarithm.complexity + 1,
                      .tree = 2};
    for (const double value : logarithm.of_run) quantity.of_run.push_back(sum(value));
    all_.push_back(std::move(quantity));
  }

  const Sizes& sizes_;
  std::vector<Quantity> all_;
};

struct Line {
  double factor = 0, more = 0;
};

// turns = factor * quantity + more.
std::optional<Line> line_through(const std::vector<int>& turns, const std::vector<double>& quantity) {
  const std::size_t last = turns.size() - 1;
  std::size_t other = last;
  while (other > 0 && quantity[other] == quantity[last]) --other;
  if (quantity[other] == quantity[last]) return std::nullopt;
  Line line;
  line.factor = (turns[last] - turns[other]) / (quantity[last] - quantity[other]);
  line.more = turns[last] - line.factor * quantity[last];
  for (std::size_t run = 0; run < turns.size(); ++run)
    if (std::abs(line.factor * quantity[run] + line.more - turns[run]) > 1e-6) return std::nullopt;
  return line;
}

bool integral(double value) {
  return std::abs(value - std::round(value)) < 1e-6;
}

// No program counts three sevenths of the ranks; and a program that was told to make five steps and then six
// has no rule.
bool likely(const Line& line) {
  constexpr double kMostMore = 2;
  return (integral(2 * line.factor) || integral(1 / line.factor)) && std::abs(line.more) <= kMostMore;
}

double complexity(const Line& line, const Quantity& quantity, int tree) {
  constexpr double kUnlikely = 5;
  return quantity.complexity + (tree != quantity.tree ? kUnlikely : 0) +
         std::abs(std::log2(std::abs(line.factor))) + std::abs(line.more) / 2;
}

std::string text_of(const Line& line, const std::string& quantity) {
  std::string text = line.factor == 1 ? quantity : fmt::format("{:g} * {}", line.factor, quantity);
  if (line.more != 0) text += fmt::format(" {} {:g}", line.more > 0 ? "+" : "-", std::abs(line.more));
  return text;
}

std::optional<TurnCount> exact_count(const std::vector<int>& turns, const std::vector<Quantity>& quantities,
                                     int tree) {
  std::optional<TurnCount> best;
  double least = 0;
  for (const Quantity& quantity : quantities) {
    if (quantity.tree > 2 && quantity.tree != tree) continue;  // seldom, and it fits much
    const std::optional<Line> line = line_through(turns, quantity.of_run);
    if (!line || line->factor == 0 || !likely(*line) || (best && complexity(*line, quantity, tree) >= least))
      continue;
    const double count = line->factor * quantity.in_target + line->more;
    if (count < 0 || !integral(count)) continue;
    const bool times = line->more == 0 && line->factor > 1 && integral(line->factor);
    best = {static_cast<int>(std::lround(count)), text_of(*line, quantity.text),
            times ? static_cast<int>(std::lround(line->factor)) : 1};
    least = complexity(*line, quantity, tree);
  }
  return best;
}

// Iterations of a solver: factor * quantity^power, rounded.
struct Power {
  double exponent = 1;
  const char* text = "";
};
constexpr Power kPowers[] = {
    {1.0 / 2, "^(1/2)"}, {1.0 / 3, "^(1/3)"}, {2.0 / 3, "^(2/3)"}, {1, ""}, {3.0 / 2, "^(3/2)"}, {2, "^2"}};

struct Rounding {
  const char* name = "";
  double below = 0, above = 0;  // what is counted as n: from n - below to n + above
};
constexpr Rounding kRoundings[] = {{"round", 0.5, 0.5}, {"floor", 0, 1}, {"ceil", 1, 0}};

int rounded(double count, const Rounding& rounding) {
  constexpr double kTiny = 1e-9;
  return static_cast<int>(rounding.above == 0 ? std::ceil(count - kTiny)
                                              : std::floor(count + rounding.below + kTiny));
}

// The factors with which all counts come out right.
std::optional<std::pair<double, double>> factors_of(const std::vector<int>& turns,
                                                    const std::vector<double>& quantity, const Power& power,
                                                    const Rounding& rounding) {
  double low = 0, high = std::numeric_limits<double>::infinity();
  for (std::size_t run = 0; run < turns.size(); ++run) {
    if (quantity[run] <= 0) return std::nullopt;
    const double unit = std::pow(quantity[run], power.exponent);
    low = std::max(low, (turns[run] - rounding.below) / unit);
    high = std::min(high, (turns[run] + rounding.above) / unit);
  }
  return low < high ? std::optional(std::pair(low, high)) : std::nullopt;
}

// A number that people write, if one lies between the two.
double plainest(double low, double high) {
  for (const double unit : {1.0, 0.5, 0.25, 0.1})
    if (const double number = unit * std::round((low + high) / 2 / unit); low <= number && number < high)
      return number;
  return (low + high) / 2;
}

// Three numbers and more that differ; and what they leave open must not matter in the target.
std::optional<TurnCount> rounded_count(const std::vector<int>& turns,
                                       const std::vector<Quantity>& quantities) {
  constexpr std::size_t kFewestNumbers = 3;
  constexpr double kMostOpen = 0.05;
  if (std::set<int>(turns.begin(), turns.end()).size() < kFewestNumbers) return std::nullopt;
  std::optional<TurnCount> best;
  double least = 0;
  for (const Quantity& quantity : quantities)
    for (const Power& power : kPowers)
      for (const Rounding& rounding : kRoundings) {
        if (quantity.tree != 0 || (best && quantity.complexity >= least)) continue;
        const auto factors = factors_of(turns, quantity.of_run, power, rounding);
        if (!factors || factors->second > (1 + kMostOpen) * factors->first) continue;
        const double factor = plainest(factors->first, factors->second);
        const double count = factor * std::pow(quantity.in_target, power.exponent);
        best = {rounded(count, rounding),
                fmt::format("{}({:.3g} * {}{})", rounding.name, factor, quantity.text, power.text)};
        least = quantity.complexity;
      }
  return best;
}

// The law of a part of all turns: a loop in each of so many steps.
std::optional<TurnCount> repeated(std::optional<TurnCount> once, int times) {
  if (once && times > 1) {
    once->in_target *= times;
    once->times *= times;
    const bool single = once->text.find(' ') == std::string::npos || once->text.ends_with(')');
    once->text = fmt::format("{} * {}{}{}", times, single ? "" : "(", once->text, single ? "" : ")");
  }
  return once;
}

std::vector<int> divided(std::vector<int> turns, int by) {
  for (int& count : turns) count /= by;
  return turns;
}

}  // namespace

std::optional<TurnCount> find_turn_count(const std::vector<int>& turns, const Sizes& sizes, int tree) {
  // Any line goes through runs without a turn and one more number.
  std::set<int> numbers(turns.begin(), turns.end());
  if (numbers.erase(0) > 0 && numbers.size() < 2) return std::nullopt;
  const Quantities quantities(sizes);
  if (auto count = exact_count(turns, quantities.all(), tree)) return count;
  const int common = std::accumulate(turns.begin(), turns.end(), 0, std::gcd<int, int>);
  for (int times = 2; times <= common; ++times)
    if (common % times == 0)
      if (auto count = repeated(exact_count(divided(turns, times), quantities.all(), tree), times))
        return count;
  for (int times = 1; times <= common; ++times)
    if (common % times == 0)
      if (auto count = repeated(rounded_count(divided(turns, times), quantities.all()), times)) return count;
  return std::nullopt;
}

}  // namespace waitdiag
