// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {

// The load of some ranks grows, step by step.
void drifting(Run& run) {
  const int steps = run.chance.between(40, 120);
  const double work = run.milliseconds(10, 40);
  const Extra extra = plant_extra(run, "solve", work, run.some(run.a_few(), 0, run.ranks() - 1));
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time * step / steps);
      run.mpi.compute(rank, "update", work / 2);
    }
    step % 2 == 0 ? run.halo() : run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

// The work of all grows, that of some ranks is larger by as much all the time.
void growing(Run& run) {
  const int steps = run.chance.between(40, 120), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(10, 40);
  const Extra extra = plant_extra(run, "solve", work, run.some(run.a_few(), 0, run.ranks() - 1));
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work * (1 + 2.0 * step / steps));
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
      run.mpi.compute(rank, "update", work / 2);
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// A hot spot wanders over the ranks: in every step another one has more to do.
void hot_spot(Run& run) {
  const int most = run.chance.between(60, 160), stays = run.chance.between(1, 5), steps = most - most % stays;
  const double work = run.milliseconds(10, 40);
  std::vector<int> late;
  for (int rank = 0; rank < run.ranks() && rank * stays < steps; ++rank) late.push_back(rank);
  const Extra extra = plant_extra(run, "solve", work, late);
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      if (run.planted && step / stays % run.ranks() == rank)
        run.mpi.compute(rank, extra.function, extra.time);
      run.mpi.compute(rank, "update", work / 2);
    }
    run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

// Everything takes longer on some ranks; the function with the largest part of it should be named first.
void slow_node(Run& run) {
  const int steps = run.chance.between(40, 120), first = run.chance.between(0, run.ranks() - 1);
  const double work = run.milliseconds(15, 40), more = run.chance.between(2, 8) / 10.0;
  const int talk = run.chance.between(0, 3);
  std::vector<int> slow;
  for (int rank = first; rank < std::min(run.ranks(), first + run.a_few()); ++rank) slow.push_back(rank);
  run.plant("solve", slow);
  const double others = run.chance.between(2, 6) / 10.0;
  run.truth.others = others / (1 + others);
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work * (run.planted && run.guilty(rank) ? 1 + more : 1));
      run.mpi.compute(rank, "update", others * work * (run.guilty(rank) ? 1 + more : 1));
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// Phases that take equally long on all ranks: no cause is planted.
void balanced(Run& run) {
  const int steps = run.chance.between(40, 120), phases = run.chance.between(1, 4);
  run.plant_nothing();
  std::vector<double> work;
  for (int phase = 0; phase < phases; ++phase) work.push_back(run.milliseconds(5, 25));
  const int talk = run.chance.between(0, 4);
  for (int step = 0; step < steps; ++step) {
    for (int phase = 0; phase < phases; ++phase) {
      for (int rank = 0; rank < run.ranks(); ++rank)
        run.mpi.compute(rank, kPhases[phase],
                        work[static_cast<std::size_t>(phase)] * (step % 7 == 6 ? 2 : 1));
      talk < 4 ? run.mpi.meet(kMeetings[talk], run.mpi.everybody()) : run.halo();
    }
  }
}

// More ranks than processors: now and then an MPI call takes long, because another process computes. Some
// programs also have a planted cause, some do not.
void crowded(Run& run) {
  const int steps = run.chance.between(40, 120), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(10, 30);
  run.mpi.crowd(run.chance.between(2, 6), work * run.chance.between(2, 8) / 10);
  const bool guilty = run.chance.one_in(2);
  Extra extra{};
  if (guilty)
    extra = plant_extra(run, "solve", 2 * work, run.some(run.a_few(), 0, run.ranks() - 1));
  else
    run.plant_nothing();
  run.truth.alone = false;
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
    }
    if (talk > 0) run.halo();
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// More ranks than processors: some lose theirs in calls, once they have what they waited for. Others lose it only while
// they wait, which delays nobody.
void lost_in_calls(Run& run) {
  const int steps = run.chance.between(40, 120), talk = run.chance.between(0, 3),
            lost_one_in = run.chance.between(1, 3);
  const double work = run.milliseconds(10, 30), longest = work * run.chance.between(4, 12) / 10;
  const bool in_exchange = run.chance.one_in(2), early = run.chance.one_in(2);
  run.plant("", run.some(run.a_few(), 0, run.ranks() - 1));
  run.truth.call_path = "(processor taken away)";
  const auto lose = [&] {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const double share = early ? run.chance.fraction() : 0,
                   behind = run.chance.one_in(lost_one_in) ? longest * run.chance.fraction() : 0;
      run.mpi.lose_processor(rank, share, run.planted && run.guilty(rank) ? behind : 0);
    }
  };
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.compute(rank, "solve", work);
    if (in_exchange) lose();
    run.halo();
    if (!in_exchange) lose();
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

}  // namespace waitdiag::test
