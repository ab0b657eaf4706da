// The efficiency of a run, and where most of it is lost.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <ostream>

#include "analyzer/wording/numbers.hpp"
#include "analyzer/writers/text/text_sections.hpp"

namespace waitdiag {

namespace {

struct FactorLine {
  double value;
  const char* name;
  std::string meaning;
};

// A run that is over soon is mostly that.
std::string meaning_of_transfer(const Report::Time& time) {
  constexpr double kMostOfIt = 0.5;
  std::string meaning = "time inside MPI that is not waiting: moving data, overhead of the calls";
  const double share = time.begin_and_end_s.value_or(0) / (time.mpi_s - time.waiting_s);
  if (!(share >= kMostOfIt)) return meaning;
  return fmt::format("{}; {} of it in MPI_Init and MPI_Finalize", meaning, format_share(share));
}

// The lowest factor shows where the loss is; the other factors need no explanation.
void explain_weakest(const Report& report, const TextOptions& options, std::ostream& out) {
  const Report::Efficiency& efficiency = report.efficiency;
  constexpr double kWorthWords = 0.95;
  const std::array<FactorLine, 3> factors{{
      {efficiency.load_balance, "load balance",
       "some ranks compute longer than the average, the others wait for them"},
      {efficiency.serialisation, "serialisation",
       "ranks wait for each other in turn although their work is balanced"},
      {efficiency.transfer, "transfer", meaning_of_transfer(report.time)},
  }};
  const FactorLine* weakest = nullptr;
  for (const FactorLine& factor : factors)
    if (std::isfinite(factor.value) && (weakest == nullptr || factor.value < weakest->value))
      weakest = &factor;
  if (weakest == nullptr || weakest->value >= kWorthWords) return;
  const std::string text = fmt::format("Most is lost by {} ({}: {}).", weakest->name,
                                       format_share(1 - weakest->value), weakest->meaning);
  out << options.style.paint(Ink::Faint, wrap(text, options.style.width, kLabelWidth)) << '\n';
}

}  // namespace

void print_efficiency(const Report& report, const TextOptions& options, std::ostream& out) {
  const Report::Efficiency& efficiency = report.efficiency;
  if (!std::isfinite(efficiency.parallel)) return;
  const char* times = options.style.times();
  const std::string text =
      fmt::format("{} = load balance {} {} communication {} (serialisation {} {} transfer {})",
                  format_share(efficiency.parallel), format_share(efficiency.load_balance), times,
                  format_share(efficiency.communication), format_share(efficiency.serialisation), times,
                  format_share(efficiency.transfer));
  out << '\n';
  print_labelled("Efficiency", kLabelWidth, text, options, out);
  explain_weakest(report, options, out);
}

}  // namespace waitdiag
