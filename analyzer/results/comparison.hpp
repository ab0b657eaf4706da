// Two runs, or two sets of runs, side by side as plain data: what changed, by how much, and what of it is
// more than noise. Times are seconds, shares 0..1; sums are over all ranks. Field names follow the JSON
// schema waitdiag.comparison/1.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/results/report.hpp"

namespace waitdiag {

struct Comparison {
  struct Side {
    std::vector<std::string> sources;  // as the user named them, one per run
    std::string program, mpi;
    std::uint64_t ranks = 0, threads = 0, nodes = 0;
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
    std::uint32_t line = 0;                    // in the later run if it is there, else in the earlier
    double before_s = 0, after_s = 0;          // means over the runs of a side; 0: not there
    double before_below = 0, after_below = 0;  // functions that are not there may take up to so much time
    double before_count = 0, after_count = 0;  // executions or waits; 0: not known
    std::vector<Report::ByRank> ranks{};       // of causes, in the side with more
    double by() const { return after_s - before_s; }
  };

  enum class Outcome : std::uint8_t { Same, Faster, Slower, Unsure };

  Side before{}, after{};
  double threshold = 0;  // a smaller part of the run time does not count as a difference
  Outcome outcome = Outcome::Same;
  std::string sentence{};  // the verdict
  std::vector<Figure> figures{};
  std::vector<Change> waits{}, causes{}, functions{};  // largest change first; unchanged rows are left out
  std::vector<std::string> cautions{};                 // why the two may not be comparable
};

const char* outcome_name(Comparison::Outcome outcome);  // "same", "faster", "slower", "unsure"
const char* unit_symbol(Comparison::Unit unit);         // as in JSON: "s", "1", "count", "B"

}  // namespace waitdiag
