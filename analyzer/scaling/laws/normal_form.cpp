// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/laws/normal_form.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "analyzer/scaling/laws/few_terms.hpp"

namespace waitdiag {
namespace {

struct FormTerm {
  int power = 0, divisor = 1, logarithms = 0;
};

double term_at(const FormTerm& term, double p) {
  return std::pow(p, static_cast<double>(term.power) / term.divisor) *
         std::pow(std::log2(p), term.logarithms);
}

// The constant first. Three points or fewer fit nearly everything: growth beyond p * log2(p), or unusual
// powers, is then more likely noise than law.
std::vector<FormTerm> terms_for(std::size_t points) {
  struct Power {
    int numerator, divisor;
  };
  constexpr std::array kPowers = {Power{1, 4}, Power{1, 3}, Power{1, 2},  Power{2, 3}, Power{3, 4},
                                  Power{4, 5}, Power{1, 1}, Power{5, 4},  Power{4, 3}, Power{3, 2},
                                  Power{5, 3}, Power{7, 4}, Power{2, 1},  Power{9, 4}, Power{7, 3},
                                  Power{5, 2}, Power{8, 3}, Power{11, 4}, Power{3, 1}};
  constexpr std::size_t kFew = 3;
  const bool few = points <= kFew;
  const int most_logarithms = few ? 1 : 2;
  std::vector<FormTerm> terms;
  for (int logarithms = 0; logarithms <= most_logarithms; ++logarithms) {
    terms.push_back({.logarithms = logarithms});
    for (const Power& power : kPowers) {
      if (few && (power.numerator > power.divisor || power.divisor > 3)) continue;
      terms.push_back({power.numerator, power.divisor, logarithms});
      terms.push_back({-power.numerator, power.divisor, logarithms});
    }
  }
  return terms;
}

double term_complexity(const FormTerm& term) {
  return std::abs(term.power) + (term.divisor - 1) + 2 * term.logarithms;
}

}  // namespace

double NormalForm::at(double p) const {
  return constant + coefficient * term_at({power, power_divisor, logarithms}, p);
}

std::string NormalForm::text(std::string (*number)(double)) const {
  if (coefficient == 0) return number(constant);
  std::string text = constant == 0 ? "" : number(constant) + " + ";
  text += number(coefficient);
  if (power != 0) {
    text += " * p";
    if (power_divisor != 1) {
      text += "^(" + std::to_string(power) + "/" + std::to_string(power_divisor) + ")";
    } else if (power != 1) {
      text += "^" + std::to_string(power);
    }
  }
  if (logarithms != 0) text += logarithms == 1 ? " * log2(p)" : " * log2(p)^" + std::to_string(logarithms);
  return text;
}

NormalForm fit_normal_form(std::span<const double> p, std::span<const double> y) {
  const std::vector<FormTerm> terms = terms_for(p.size());
  std::vector<TermColumn> columns;
  std::vector<TermChoice> choices;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    TermColumn& column = columns.emplace_back();
    column.complexity = term_complexity(terms[t]);
    for (const double ranks : p) column.at.push_back(term_at(terms[t], ranks));
    choices.push_back({t});
    if (t > 0) choices.push_back({0, t});
  }
  const FewTerms model = choose_terms(columns, choices, y);
  const bool with_constant = model.terms.second.has_value() || model.terms.first == 0;
  const std::size_t chosen = model.terms.second.value_or(model.terms.first);
  NormalForm form{.r_squared = model.r_squared, .smape = model.smape, .left_out = model.left_out};
  if (with_constant) form.constant = model.first;
  if (chosen != 0) {
    form.coefficient = with_constant ? model.second : model.first;
    form.power = terms[chosen].power;
    form.power_divisor = terms[chosen].divisor;
    form.logarithms = terms[chosen].logarithms;
  }
  return form;
}

}  // namespace waitdiag
