// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "analyzer/results/steady.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/sentences.hpp"

namespace waitdiag {

std::string steady_text(const SteadyIterations& steady) {
  using Outcome = SteadyIterations::Outcome;
  const std::string all = format_count(steady.iterations);
  switch (steady.outcome) {
    case Outcome::NotTried:
      return "";
    case Outcome::MultipliedOut:
      return fmt::format(
          "Iterations: {} of {} were replayed. Each further one takes {}: the last three {} took the same "
          "time within "
          "{:.3f} % in every rank, and in the others at most {:.3f} % more or less was computed.",
          format_count(steady.replayed), all, format_duration(steady.increment_s),
          steady.period == 1 ? "of them" : fmt::format("periods of {}", steady.period), 100 * steady.spread,
          100 * steady.difference);
    case Outcome::Differing:
      return fmt::format("Iterations: all {} were replayed, for their computation differs by {:.2g} %.", all,
                         100 * steady.difference);
    case Outcome::Unsteady:
      return fmt::format(
          "Iterations: all {} were replayed, because no three periods took the same time in every rank, with "
          "all "
          "ranks as fast as "
          "those they wait for.",
          all);
  }
  return "";
}

}  // namespace waitdiag
