// A trace with all that its served run needs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

#include "analyzer/diagnosis/serving/served_run.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {

struct Followed {
  explicit Followed(std::string_view text, std::size_t most_calls = ServedRun::kMostCalls)
      : trace(parse_text(text)), run(trace, sync, states, dependencies, most_calls) {}

  // In microseconds, if the gap before this call were shorter.
  std::optional<double> end_without(std::uint32_t rank, std::uint32_t op, int microseconds) const {
    return in_microseconds(run.end(shorter(rank, op, microseconds)));
  }
  double end_in_order_without(std::uint32_t rank, std::uint32_t op, int microseconds) const {
    return *in_microseconds(retime(trace, dependencies, shorter(rank, op, microseconds)).last_end);
  }

  Trace trace;
  SyncPoints sync = match(trace);
  WaitStates states = detect(trace, sync, {});
  Dependencies dependencies{trace, sync, states};
  ServedRun run;

 private:
  Change shorter(std::uint32_t rank, std::uint32_t op, int microseconds) const {
    Change change;
    change.savings.resize(trace.timelines().size());
    change.savings[rank].push_back({op, false, std::chrono::microseconds(microseconds)});
    return change;
  }
  std::optional<double> in_microseconds(std::optional<Time> end) const {
    if (!end) return std::nullopt;
    return std::chrono::duration<double, std::micro>(*end - trace.begin()).count();
  }
};

}  // namespace waitdiag
