// Two runs, or two sets of runs, side by side as plain data: what changed, by how much, and which changes are
// more than noise. Times are seconds, shares 0..1; sums are over all ranks. Field names follow the JSON
// schema waitdiag.comparison/1.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/results/fields.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/results/report_fields.hpp"

namespace waitdiag {

struct Comparison {
  struct Side {
    std::vector<std::string> sources;  // as the user named them, one per run
    std::string program, mpi;
    std::uint64_t ranks = 0, threads = 0, nodes = 0;
    double instructions = 0, cycles = 0;  // outside of MPI, means over the runs; 0: not counted
    double counted_s = 0;                 // in which they were
  };

  enum class Unit : std::uint8_t { Seconds, Share, Count, Bytes };
  struct Figure {
    std::string id, title;
    Unit unit = Unit::Seconds;
    double before = 0, after = 0;  // medians over the runs of a side; NaN where undefined
    // With several runs on both sides: the Hodges-Lehmann shift, its 95 % interval, and the two-sided p of
    // Mann and Whitney.
    struct Spread {
      double shift = 0, low = 0, high = 0, p = 1;
    };
    std::optional<Spread> spread{};
  };

  struct Change {                              // of a kind of wait, a cause, a function
    std::string id;                            // pattern id, or call path
    std::string title;                         // name for people: pattern or function
    std::string file{};                        // of functions
    std::string waited_for{};                  // as of Report::Cause
    std::uint32_t line = 0;                    // in the later run if it is there, else in the earlier
    double before_s = 0, after_s = 0;          // means over the runs of a side; 0: not there
    double before_below = 0, after_below = 0;  // functions that are not listed may take up to this much time
    double before_count = 0, after_count = 0;  // executions or waits; 0: not known
    std::vector<Report::ByRank> ranks{};       // of causes, in the side with more
    double by() const { return after_s - before_s; }
  };

  struct Taken {                        // processors that ranks of a node lost to other threads
    std::string node{};                 // as of TakenProcessors
    std::vector<std::int64_t> ranks{};  // that lost them on either side, ascending
    double before_s = 0, after_s = 0;   // means over the runs of a side
    // By other processes; absent: not known.
    std::optional<double> before_by_others_s{}, after_by_others_s{};
    std::vector<std::int64_t> by_ranks{};  // ranks that had the rest, ascending
    double by() const { return after_s - before_s; }
  };

  enum class Outcome : std::uint8_t { Same, Faster, Slower, Unsure };

  Side before{}, after{};
  double threshold = 0;  // a smaller part of the run time does not count as a difference
  Outcome outcome = Outcome::Same;
  std::string sentence{};  // the verdict
  std::vector<Figure> figures{};
  std::vector<Change> waits{}, causes{}, functions{};  // largest change first; unchanged rows are left out
  std::vector<Taken> taken_processors{};               // by node, largest change first
  std::vector<std::string> cautions{};                 // why the two may not be comparable
};

template <>
inline constexpr std::array kWords<Comparison::Outcome> =
    std::to_array<std::string_view>({"same", "faster", "slower", "unsure"});
template <>
inline constexpr std::array kWords<Comparison::Unit> = std::to_array<std::string_view>({"s", "1", "count",
                                                                                        "B"});

void fields(auto& visit, Of<Comparison::Side> auto& side) {
  visit("sources", side.sources, "as the user named them, one per run");
  visit("program", side.program);
  visit("mpi", side.mpi);
  visit("ranks", side.ranks);
  visit("threads", side.threads);
  visit("nodes", side.nodes);
  visit("instructions", side.instructions,
        "outside of MPI, by hardware counters; mean over the runs; 0: not counted", kLater);
  visit("cycles", side.cycles, "", kLater);
  visit("counted_s", side.counted_s, "of all ranks on a processor, in which they were counted", kLater);
}

void fields(auto& visit, Of<Comparison::Figure::Spread> auto& spread) {
  visit("shift", spread.shift, "by Hodges and Lehmann", kSigned);
  visit("low", spread.low, "of its 95 % interval", kSigned);
  visit("high", spread.high, "", kSigned);
  visit("p", spread.p, "two-sided, by Mann and Whitney", kShare);
}

void fields(auto& visit, Of<Comparison::Figure> auto& figure) {
  visit("id", figure.id);
  visit("title", figure.title);
  visit("unit", figure.unit);
  visit("before", figure.before, "median over the runs; null where undefined", kUndefined);
  visit("after", figure.after, "", kUndefined);
  visit("spread", figure.spread, "with several runs on both sides", only_if(figure.spread.has_value()));
}

void fields(auto& visit, Of<Comparison::Change> auto& change) {
  visit("id", change.id, "pattern, or call path");
  visit("title", change.title, "pattern or function, for people");
  visit("file", change.file);
  visit("waited_for", change.waited_for, kWaitedForAbout,
        only_if(!change.waited_for.empty()) | one_of(words::kWaitedFor));
  visit("line", change.line, "in the later run if it is there, else in the earlier");
  visit("before_s", change.before_s, "mean over the runs; 0: not there");
  visit("after_s", change.after_s);
  visit("before_count", change.before_count, "visits or waits; 0: not known");
  visit("after_count", change.after_count);
  visit("by_rank", by_rank(change.ranks), "of causes, in the side with more; \"16-31\" as in reports");
  visit("before_below", change.before_below,
        "of a function that is not there: it may take up to so many seconds",
        only_if(change.before_below > 0));
  visit("after_below", change.after_below, "", only_if(change.after_below > 0));
}

void fields(auto& visit, Of<Comparison::Taken> auto& row) {
  visit("node", row.node);
  visit("ranks", row.ranks, "that lost their processors on either side");
  visit("before_s", row.before_s, "mean over the runs");
  visit("after_s", row.after_s);
  visit("before_by_others_s", row.before_by_others_s, "by other processes; absent: not known",
        only_if(row.before_by_others_s.has_value()));
  visit("after_by_others_s", row.after_by_others_s, "", only_if(row.after_by_others_s.has_value()));
  visit("by_ranks", row.by_ranks, "ranks of the program that had the rest");
}

void fields(auto& visit, Of<Comparison> auto& comparison) {
  visit("outcome", comparison.outcome);
  visit("sentence", comparison.sentence, "the verdict");
  visit("threshold", comparison.threshold, "a smaller part of the run time is no difference");
  visit("before", comparison.before);
  visit("after", comparison.after);
  visit("figures", comparison.figures);
  visit("waits", comparison.waits, "largest change first; what did not change is left out");
  visit("causes", comparison.causes);
  visit("functions", comparison.functions);
  visit("taken_processors", comparison.taken_processors,
        "for how long ranks lost their processors to other threads, by node",
        only_if(!comparison.taken_processors.empty()));
  visit("cautions", comparison.cautions, "why the two may not be comparable");
}

template <>
struct Document<Comparison> {
  static constexpr const char* kSchema = "waitdiag.comparison/1";
  static constexpr const char* kAbout =
      "What `waitdiag compare --json` writes. Times are seconds, summed over all ranks but for the run time; "
      "shares 0..1.";
  static constexpr bool kRounded = false;
};

}  // namespace waitdiag
