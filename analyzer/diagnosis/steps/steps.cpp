// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/steps/steps.hpp"

#include <algorithm>
#include <utility>

#include "analyzer/diagnosis/steps/step_loops.hpp"

namespace waitdiag {
namespace {

std::vector<std::uint64_t> marked_numbers(const Trace& trace) {
  std::vector<std::uint64_t> numbers;
  for (const Timeline& timeline : trace.timelines())
    for (const StepMark& mark : timeline.step_marks()) numbers.push_back(mark.number);
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// A step without a mark here has length zero, at the begin of the next one.
std::vector<StepBegin> marked_begins(const Timeline& timeline, const std::vector<std::uint64_t>& numbers) {
  const std::vector<StepMark>& marks = timeline.step_marks();
  std::vector<StepBegin> begins;
  if (marks.empty()) return begins;
  std::uint32_t mark = 0;
  for (const std::uint64_t number : numbers) {
    while (mark < marks.size() && marks[mark].number < number) ++mark;
    if (mark == marks.size()) break;
    begins.push_back({marks[mark].op, mark});
  }
  begins.push_back({static_cast<std::uint32_t>(timeline.gaps())});
  return begins;
}

Steps marked_steps(const Trace& trace) {
  const std::vector<std::uint64_t> numbers = marked_numbers(trace);
  if (numbers.empty()) return {};
  std::vector<std::vector<StepBegin>> begins;
  for (const Timeline& timeline : trace.timelines()) begins.push_back(marked_begins(timeline, numbers));
  return {StepSource::Marks, static_cast<std::uint32_t>(numbers.size()), std::move(begins), numbers};
}

}  // namespace

std::vector<std::pair<std::uint64_t, std::uint64_t>> Steps::number_ranges() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const std::uint64_t number : numbers_) {
    if (!ranges.empty() && ranges.back().second + 1 == number)
      ranges.back().second = number;
    else
      ranges.emplace_back(number, number);
  }
  if (ranges.size() == 1 && ranges.front().first == 0) ranges.clear();
  return ranges;
}

Steps find_steps(const Trace& trace) {
  Steps marked = marked_steps(trace);
  return marked.count() > 0 ? marked : repeating_steps(trace);
}

}  // namespace waitdiag
