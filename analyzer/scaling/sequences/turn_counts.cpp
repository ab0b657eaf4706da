// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/sequences/turn_counts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <set>

namespace waitdiag {
namespace {

struct Quantity {
  std::string text{};
  std::vector<double> of_run{};
  double in_target = 0;
  double complexity = 0;
  bool logarithm = false;
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
                      .logarithm = true};
    for (const double value : of.of_run) quantity.of_run.push_back(doublings(value));
    add_sum(quantity);
    all_.push_back(std::move(quantity));
  }
  // One turn, then two, then three ..., up to the logarithm: a loop in a loop.
  void add_sum(const Quantity& logarithm) {
    const auto sum = [](double value) { return value * (value + 1) / 2; };
    Quantity quantity{.text = fmt::format("(1 + 2 + ... + {})", logarithm.text),
                      .in_target = sum(logarithm.in_target),
                      .complexity = logarithm.complexity + 1,
                      .logarithm = true};
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

// No program counts three sevenths of the ranks; and a program that was told to make five steps and then six
// has no rule.
bool likely(const Line& line) {
  constexpr double kMostMore = 2;
  const double twice = 2 * line.factor;
  return std::abs(twice - std::round(twice)) < 1e-6 && std::abs(line.more) <= kMostMore;
}

double complexity(const Line& line, const Quantity& quantity, bool doubles) {
  constexpr double kUnlikely = 5;
  return quantity.complexity + (doubles != quantity.logarithm ? kUnlikely : 0) +
         std::abs(std::log2(std::abs(line.factor))) + std::abs(line.more) / 2;
}

std::string text_of(const Line& line, const std::string& quantity) {
  std::string text = line.factor == 1 ? quantity : fmt::format("{:g} * {}", line.factor, quantity);
  if (line.more != 0) text += fmt::format(" {} {:g}", line.more > 0 ? "+" : "-", std::abs(line.more));
  return text;
}

}  // namespace

std::optional<TurnCount> find_turn_count(const std::vector<int>& turns, const Sizes& sizes, bool doubles) {
  // Any line goes through runs without a turn and one more number.
  std::set<int> numbers(turns.begin(), turns.end());
  if (numbers.erase(0) > 0 && numbers.size() < 2) return std::nullopt;
  std::optional<TurnCount> best;
  double least = 0;
  const Quantities quantities(sizes);
  for (const Quantity& quantity : quantities.all()) {
    const std::optional<Line> line = line_through(turns, quantity.of_run);
    if (!line || line->factor == 0 || !likely(*line) ||
        (best && complexity(*line, quantity, doubles) >= least))
      continue;
    const double count = line->factor * quantity.in_target + line->more;
    if (count < 0 || std::abs(count - std::round(count)) > 1e-6) continue;
    best = {static_cast<int>(std::lround(count)), text_of(*line, quantity.text)};
    least = complexity(*line, quantity, doubles);
  }
  return best;
}

}  // namespace waitdiag
