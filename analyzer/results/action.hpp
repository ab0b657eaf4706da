// What to do about a cause: the repair, its gain, how certain that is, and how to check it beforehand.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "analyzer/results/fields.hpp"

namespace waitdiag {

struct Action {
  std::string kind{};               // one of words::kActions
  std::string text{};               // a sentence
  std::optional<double> saves_s{};  // of the run time, by this action alone; none: not known
  std::string sure{};               // how certain that is: a sentence; empty: not known
  std::string command{};            // with DIR for the archive
};

namespace words {
inline constexpr std::string_view kActions[] = {
    "balance",         "deal_out",    "off_critical_path", "post_earlier", "own_processor", "do_not_block",
    "record_by_clock", "check_place", "quiet_system",      "same_time",    "shorten_calls"};
}  // namespace words

void fields(auto& visit, Of<Action> auto& action) {
  visit("kind", action.kind, "", one_of(words::kActions));
  visit("text", action.text, "one sentence");
  visit("saves_s", action.saves_s, "of the run time, by this alone; null: not known", kSigned);
  visit("sure", action.sure, "how far saves_s is known; empty: it is not");
  visit("command", action.command, "that shows it before anything is repaired; with DIR for the archive");
}

}  // namespace waitdiag
