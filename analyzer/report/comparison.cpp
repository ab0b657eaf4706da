// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/report/comparison.hpp"

#include <cmath>

#include "analyzer/report/numbers.hpp"

namespace waitdiag {

const char* outcome_name(Comparison::Outcome outcome) {
  switch (outcome) {
    case Comparison::Outcome::Same:
      return "same";
    case Comparison::Outcome::Faster:
      return "faster";
    case Comparison::Outcome::Slower:
      return "slower";
    case Comparison::Outcome::Unsure:
      return "unsure";
  }
  return "";
}

const char* unit_symbol(Comparison::Unit unit) {
  switch (unit) {
    case Comparison::Unit::Seconds:
      return "s";
    case Comparison::Unit::Share:
      return "1";
    case Comparison::Unit::Count:
      return "count";
    case Comparison::Unit::Bytes:
      return "B";
  }
  return "";
}

std::string format_figure(double value, Comparison::Unit unit) {
  if (!std::isfinite(value)) return "n/a";
  switch (unit) {
    case Comparison::Unit::Seconds:
      return format_duration(value);
    case Comparison::Unit::Share:
      return format_share(value);
    case Comparison::Unit::Count:
      return format_count(static_cast<std::uint64_t>(std::llround(value)));
    case Comparison::Unit::Bytes:
      return format_bytes(static_cast<std::uint64_t>(std::llround(value)));
  }
  return "";
}

}  // namespace waitdiag
