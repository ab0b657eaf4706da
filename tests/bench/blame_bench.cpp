// How often the report is right about programs with a planted cause (tests/support/planted/planted_programs.hpp):
// first cause, its ranks, its share of the waiting, its gain; and how often the cause is right at each level
// of certainty that the report states.
//
//   blame_bench [PROGRAMS_OF_EACH_SHAPE [SHAPE [list|wrong [FIRST_SEED]]]]
//
// `wrong` lists only what is called sure and is not right. A gain that the report calls a bound ("at most") and that is
// larger than the truth does not count as right, but is no wrong statement either: such gains are counted apart.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/verdict.hpp"
#include "tests/support/planted/planted_programs.hpp"

namespace waitdiag::test {
namespace {

constexpr double kShareWithin = 0.10;  // of the waiting
constexpr double kGainWithin = 0.15;   // of the gain, or
constexpr double kRunWithin = 0.01;    // of the run time; or the three standard errors that are stated

struct Answer {
  bool cause = false, ranks = false, share = false, gain = false;
  bool bound = false;            // the gain is not right, but it is called a bound, and the truth is below it
  std::optional<bool> second{};  // what the repair of a second cause is worth; none: there is no such cause
  std::string level{};           // of certainty that the cause is right
};

struct Level {
  int said = 0, right = 0;
};

struct Score {
  int programs = 0, cause = 0, ranks = 0, share = 0, gain = 0, seconds = 0, second = 0, bounds = 0;
  std::map<std::string, Level> levels{};  // of certainty: how often the cause was right
  void add(const Answer& answer) {
    ++programs;
    cause += answer.cause ? 1 : 0;
    ranks += answer.ranks ? 1 : 0;
    share += answer.share ? 1 : 0;
    gain += answer.gain ? 1 : 0;
    bounds += answer.bound ? 1 : 0;
    seconds += answer.second ? 1 : 0;
    second += answer.second.value_or(false) ? 1 : 0;
    if (answer.level.empty()) return;
    ++levels[answer.level].said;
    levels[answer.level].right += answer.cause ? 1 : 0;
  }
  void add(const Score& other) {
    programs += other.programs;
    cause += other.cause;
    ranks += other.ranks;
    share += other.share;
    gain += other.gain;
    bounds += other.bounds;
    seconds += other.seconds;
    second += other.second;
    for (const auto& [level, count] : other.levels) {
      levels[level].said += count.said;
      levels[level].right += count.right;
    }
  }
};

bool right_ranks(const PlantedTruth& truth, const std::vector<Report::ByRank>& blamed) {
  if (blamed.empty()) return false;
  if (truth.ranks.empty()) return true;
  if (!truth.alone) return blamed.front().rank == truth.ranks.front();
  return std::ranges::equal(named_ranks(blamed), truth.ranks);
}

bool right_gain(const PlantedTruth& truth, const Report::Cause& cause, double runtime_s) {
  const double wrong = cause.gain ? std::abs(cause.gain->runtime_s - runtime_s) : truth.seconds;
  return wrong <= std::max({kGainWithin * (truth.seconds - runtime_s), kRunWithin * truth.seconds,
                            cause.gain ? cause.gain->error_s : 0});
}

const Report::Cause* second_cause(const PlantedTruth& truth, const Report& report) {
  const auto second = std::ranges::find(report.causes, truth.second, &Report::Cause::call_path);
  return second == report.causes.end() ? nullptr : &*second;
}

Answer judge(const PlantedTruth& truth, const Report& report) {
  if (truth.call_path.empty()) {
    const bool right = verdict(report).sentence.find("caused by") == std::string::npos;
    return {.cause = right, .ranks = right, .share = right, .gain = right};
  }
  if (report.causes.empty()) return {};
  const Report::Cause& first = report.causes.front();
  Answer answer;
  answer.level = first.certainty.level;
  answer.cause = first.call_path == truth.call_path;
  answer.ranks = answer.cause && right_ranks(truth, first.ranks);
  answer.share = answer.cause && (truth.alone ? std::abs(first.share_of_waiting - truth.share) <= kShareWithin
                                              : first.share_of_waiting >= truth.share - kShareWithin);
  answer.gain = answer.cause && right_gain(truth, first, truth.runtime_s);
  answer.bound = answer.cause && !answer.gain && first.gain && first.gain->at_most &&
                 first.gain->runtime_s < truth.runtime_s;
  if (const Report::Cause* const second = second_cause(truth, report); !truth.second.empty())
    answer.second = second != nullptr && right_gain(truth, *second, truth.runtime_without_second_s);
  return answer;
}

std::string listed(std::uint64_t seed, bool sampled, const PlantedTruth& truth, const Report& report,
                   const Answer& answer) {
  const auto mark = [](bool right) { return right ? ' ' : '!'; };
  std::string line = fmt::format(
      "  {:3} {} {:2} ranks: {} on {} {:.2f} gain {:.0f} ms waits {:.0f} ms\n      ", seed,
      sampled ? "sampled" : "exact  ", report.run.ranks, truth.call_path, fmt::join(truth.ranks, ","),
      truth.share, 1e3 * (truth.seconds - truth.runtime_s), 1e3 * truth.waited_s);
  if (report.causes.empty()) return line + "no cause\n";
  const Report::Cause& first = report.causes.front();
  const auto gain = [&truth](const Report::Cause& cause) {
    return cause.gain ? 1e3 * (truth.seconds - cause.gain->runtime_s) : -1;
  };
  const bool at_most = first.gain && first.gain->at_most;
  line += fmt::format("{}{} {}on {} {}{:.2f} {}gain {}{:.0f} ms waits {:.0f} ms {}\n", mark(answer.cause),
                      first.call_path, mark(answer.ranks), fmt::join(leading_ranks(first.ranks), ","),
                      mark(answer.share), first.share_of_waiting, mark(answer.gain),
                      at_most ? "at most " : "", gain(first), 1e3 * report.time.waiting_s, answer.level);
  if (!answer.share && report.causes.size() > 1)
    line +=
        fmt::format("      then {} {:.2f}\n", report.causes[1].call_path, report.causes[1].share_of_waiting);
  if (!answer.second) return line;
  const Report::Cause* const second = second_cause(truth, report);
  return line + fmt::format("      {}second {} gain {:.0f} ms, {:.0f} ms\n", mark(*answer.second),
                            truth.second, 1e3 * (truth.seconds - truth.runtime_without_second_s),
                            second == nullptr ? -1 : gain(*second));
}

struct Asked {
  int programs = 20, first_seed = 1;
  std::string_view shape{}, list{};
};

bool is_listed(const Asked& asked, const Answer& answer) {
  const bool right = answer.cause && answer.ranks && answer.share && (answer.gain || answer.bound) &&
                     answer.second.value_or(true);
  return asked.list == "list" || (asked.list == "wrong" && answer.level == "sure" && !right);
}

Score score_of(std::string_view shape, const Asked& asked, bool sampled) {
  Score score;
  for (int seed = asked.first_seed; seed < asked.first_seed + asked.programs; ++seed) {
    const PlantedProgram program = planted_program(shape, static_cast<std::uint64_t>(seed), sampled);
    Stages stages;
    const Report report = make_report(parse_text(program.text), {.replays = Replays::Never}, stages);
    const Answer answer = judge(program.truth, report);
    score.add(answer);
    if (is_listed(asked, answer))
      fmt::print("{}", listed(static_cast<std::uint64_t>(seed), sampled, program.truth, report, answer));
  }
  return score;
}

void print(std::string_view shape, const char* how, const Score& score) {
  fmt::print("{:17}{:8} {:5} {:6} {:6} {:6} {:6}", shape, how, score.programs, score.cause, score.ranks,
             score.share, score.gain);
  fmt::print("{}{}\n", score.seconds == 0 ? "" : fmt::format(" {:6} of {}", score.second, score.seconds),
             score.bounds == 0 ? "" : fmt::format("  {} at most, and less", score.bounds));
}

void run(const Asked& asked) {
  fmt::print("{:25} {:>5} {:>6} {:>6} {:>6} {:>6} {:>6}\n", "shape", "runs", "cause", "ranks", "share",
             "gain", "gain of the second cause");
  for (const bool sampled : {false, true}) {
    const char* const how = sampled ? "sampled" : "exact";
    const auto print_all = [&](const char* name, std::span<const std::string_view> shapes) {
      Score all;
      for (const std::string_view shape : shapes) {
        if (!asked.shape.empty() && shape != asked.shape) continue;
        const Score score = score_of(shape, asked, sampled);
        print(shape, how, score);
        all.add(score);
      }
      print(name, how, all);
      for (const auto& [level, count] : all.levels)
        fmt::print("{:17}{:8} {:5} {:6} right\n", level, how, count.said, count.right);
    };
    print_all("all", kPlantedShapes);
    print_all("all uncertain", kUncertainShapes);
  }
}

}  // namespace
}  // namespace waitdiag::test

int main(int argc, char** argv) {
  waitdiag::test::Asked asked;
  if (argc > 1) asked.programs = std::atoi(argv[1]);
  if (argc > 2) asked.shape = argv[2];
  if (argc > 3) asked.list = argv[3];
  if (argc > 4) asked.first_seed = std::atoi(argv[4]);
  waitdiag::test::run(asked);
}
