// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {

// Two functions take longer on one rank, and somewhat longer on others; elsewhere they take little time, or none.
void two_causes(Run& run) {
  const int steps = run.chance.between(40, 120), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(10, 30), usual = run.chance.one_in(2) ? work / 10 : 0;
  const double first = work * run.chance.between(8, 40) / 10, second = first * run.chance.between(3, 8) / 10;
  const std::vector<int> late = run.some(std::min(run.ranks(), 2), 0, run.ranks() - 1);
  const bool both_first = run.chance.one_in(2);
  const int tenths = run.chance.between(0, 8);
  const double somewhat = run.ranks() > 2 ? tenths / 10.0 : 0;  // else the other rank says what is usual
  run.plant("refine", {both_first ? late.front() : late.back()});
  run.truth.second = "main/match";
  run.truth.alone = somewhat == 0;
  const auto part_of = [&](int rank) {
    return run.guilty(rank) ? 1 : std::ranges::count(late, rank) > 0 ? somewhat : 0;
  };
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      run.mpi.compute(rank, "refine", usual + (run.planted ? first * part_of(rank) : 0));
      run.mpi.compute(rank, "match", usual + (run.second_planted ? second * part_of(rank) : 0));
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// In even steps one function takes longer on one rank, in odd steps another one on another rank.
void alternating(Run& run) {
  const int steps = 2 * run.chance.between(20, 60), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(10, 30);
  const double first = work * run.chance.between(6, 12) / 10, second = first * run.chance.between(3, 7) / 10;
  const std::vector<int> late = run.some(2, 0, run.ranks() - 1);
  run.plant("assemble", {late.front()});
  run.truth.second = "main/factor";
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const bool first_late = run.planted && step % 2 == 0 && rank == late.front();
      const bool second_late = run.second_planted && step % 2 == 1 && rank == late.back();
      run.mpi.compute(rank, "assemble", work + (first_late ? first : 0));
      run.mpi.compute(rank, "factor", work + (second_late ? second : 0));
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// Two functions take longer, on the same ranks or on others, one of them by hardly more than the other.
void rivals(Run& run) {
  const int steps = run.chance.between(10, 80), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(5, 20), usual = run.chance.one_in(2) ? work / 2 : 0;
  const double first = work * run.chance.between(4, 12) / 10,
               second = first * run.chance.between(70, 99) / 100;
  const bool swapped = run.chance.one_in(2);
  const char *const larger = swapped ? "gather_cells" : "sort_cells", *const smaller = swapped
                                                                                           ? "sort_cells"
                                                                                           : "gather_cells";
  const std::vector<int> late = run.some(run.a_few(), 0, run.ranks() - 1);
  run.plant(larger, late);
  run.truth.second = std::string("main/") + smaller;
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      run.mpi.compute(rank, larger, usual + (run.planted && run.guilty(rank) ? first : 0));
      run.mpi.compute(rank, smaller, usual + (run.second_planted && run.guilty(rank) ? second : 0));
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// A run so short that the cause has a few samples only; it also runs three functions that take no longer.
void few_samples(Run& run) {
  const int steps = run.chance.between(3, 15), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(2, 12), extra = run.milliseconds(4, 15);
  const int slow = run.chance.between(0, 3);
  run.plant(kPhases[slow], run.some(run.a_few(), 0, run.ranks() - 1));
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank)
      for (int phase = 0; phase < 4; ++phase)
        run.mpi.compute(rank, kPhases[phase],
                        work + (run.planted && phase == slow && run.guilty(rank) ? extra : 0));
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

}  // namespace waitdiag::test
