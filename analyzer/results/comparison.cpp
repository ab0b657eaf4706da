// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/results/comparison.hpp"

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

}  // namespace waitdiag
