// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/scaling/rescaling/rescaled_programs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <sstream>
#include <string_view>

#include "analyzer/scaling/rescaling/rescale.hpp"
#include "analyzer/trace/derived/joined_calls.hpp"
#include "tests/unit/scaling/rescaling/grid_program.hpp"

namespace waitdiag::test {

namespace {

constexpr std::string_view kDigits = "0123456789";

// The traces are long texts: they are edited line by line, as std::regex would take most of the tests' time.
template <typename Edit>
std::string edited(const std::string& text, Edit edit) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    edit(line);
    if (!line.empty()) result += line + '\n';
  }
  return result;
}

// Every number that follows the label goes, with the label.
void erase_numbers(std::string& line, std::string_view label) {
  for (auto at = line.find(label); at != std::string::npos;) {
    const auto digits = at + label.size();
    const auto end = std::min(line.find_first_not_of(kDigits, digits), line.size());
    if (end > digits) line.erase(at, end - at);
    at = line.find(label, end > digits ? at : digits);
  }
}

// Every "1000..2500  name" becomes what `words` makes of 1500.
template <typename Words>
void replace_spans(std::string& line, const std::string& name, Words words) {
  const auto label = "  " + name;
  for (auto at = line.find(label); at != std::string::npos; at = line.find(label, at)) {
    const auto dots = line.rfind("..", at);
    if (dots == std::string::npos || line.find_first_not_of(kDigits, dots + 2) != at) {
      at += label.size();
      continue;
    }
    const auto before = dots == 0 ? std::string::npos : line.find_last_not_of(kDigits, dots - 1);
    const auto begin = before == std::string::npos ? 0 : before + 1;
    const auto text = words(std::stoll(line.substr(dots + 2)) - std::stoll(line.substr(begin)));
    line.replace(begin, at + label.size() - begin, text);
    at = begin + text.size();
  }
}

// Without what may differ: communicators are numbered in the order in which they are met, and how often a region
// is entered in one gap is a mean.
std::string comparable(const std::string& text) {
  constexpr std::string_view kBare = " comm some", kQuoted = " comm \"some";
  return edited(text, [&](std::string& line) {
    if (line.starts_with("comm ")) line.clear();
    for (auto at = line.find(kBare); at != std::string::npos; at = line.find(kBare, at))
      line.replace(at, kBare.size(), " in some");
    for (auto at = line.find(kQuoted); at != std::string::npos; at = line.find(kQuoted, at))
      line.replace(at, line.find('"', at + kQuoted.size()) + 1 - at, " in some");
    erase_numbers(line, " visits ");
  });
}

// Calls with their messages, and how long ranks compute between them; not when, nor how long calls take.
std::string without_calls_times(const std::string& text) {
  return edited(text, [](std::string& line) {
    replace_spans(line, "work", [](auto length) { return std::to_string(length) + " of work"; });
    replace_spans(line, "MPI", [](auto) { return std::string("MPI"); });
    erase_numbers(line, " at ");
  });
}

}  // namespace

std::string rescaled(const SmallProgram& program, const std::vector<int>& sizes, int target) {
  std::deque<Trace> traces;
  std::vector<SizedRun> runs;
  for (const int ranks : sizes) {
    traces.push_back(run_of(program, ranks));
    runs.push_back({{&traces.back(), "run-" + std::to_string(ranks)}, {.ranks = ranks}});
  }
  return text_of(Rescaler(runs, {.ranks = target}, {}).trace());
}

void expect_right(const SmallProgram& program, const std::vector<int>& sizes,
                  const std::vector<int>& targets) {
  for (const int target : targets)
    EXPECT_EQ(comparable(rescaled(program, sizes, target)), comparable(text_of(run_of(program, target))))
        << target;
}

void expect_right_if_joined(const SmallProgram& program, const std::vector<int>& sizes,
                            const std::vector<int>& targets) {
  for (const int target : targets)
    EXPECT_EQ(without_calls_times(comparable(rescaled(program, sizes, target))),
              without_calls_times(comparable(text_of(join_requests(run_of(program, target))))))
        << target;
}

SmallProgram each_step(const SmallProgram& step) {
  constexpr int kSteps = 4;
  return [step](RankOfProgram& rank) {
    for (int i = 0; i < kSteps; ++i) step(rank);
  };
}

}  // namespace waitdiag::test
