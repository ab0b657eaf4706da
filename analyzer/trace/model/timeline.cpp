// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/timeline.hpp"

#include <algorithm>
#include <iterator>

namespace waitdiag {

const PollRecord* Timeline::row_of_polls(std::uint32_t op) const {
  const auto found = std::ranges::lower_bound(polls_, op, {}, &PollRecord::op);
  return found != polls_.end() && found->op == op ? &*found : nullptr;
}

std::uint64_t Timeline::excerpt_of(std::uint32_t op) const {
  const auto next =
      std::upper_bound(excerpts_.begin(), excerpts_.end(), op,
                       [](std::uint32_t which, const ExcerptMark& mark) { return which < mark.op; });
  return next == excerpts_.begin() ? 0 : std::prev(next)->number;
}

GapPart Timeline::cut_off(GapPart& rest, const StepMark& mark) {
  GapPart before = rest;
  before.last = rest.first = false;
  before.end = rest.begin = std::clamp(mark.time, rest.begin, rest.end);
  before.last_piece = rest.first_piece = mark.piece;
  before.last_sample = rest.first_sample = mark.sample;
  return before;
}

}  // namespace waitdiag
