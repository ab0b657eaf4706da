// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {
namespace {

void compute_everywhere(Run& run, const char* function, double time, const Extra& extra) {
  for (int rank = 0; rank < run.ranks(); ++rank) {
    run.mpi.compute(rank, function, time);
    if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
  }
}

}  // namespace

void spmd(Run& run) {
  const int steps = run.chance.between(40, 120), phases = run.chance.between(2, 4);
  std::vector<double> work;
  std::vector<int> talks;
  for (int phase = 0; phase < phases; ++phase) {
    work.push_back(run.milliseconds(5, 25));
    talks.push_back(run.chance.between(0, 5));
  }
  talks.back() %= 4;
  const int slow = run.chance.between(0, phases - 1);
  const Extra extra = plant_extra(run, kPhases[slow], work[static_cast<std::size_t>(slow)],
                                  run.some(run.a_few(), 0, run.ranks() - 1));
  for (int step = 0; step < steps; ++step) {
    for (int phase = 0; phase < phases; ++phase) {
      for (int rank = 0; rank < run.ranks(); ++rank) {
        run.mpi.compute(rank, kPhases[phase], work[static_cast<std::size_t>(phase)]);
        if (phase == slow && run.guilty(rank) && run.planted)
          run.mpi.compute(rank, extra.function, extra.time);
      }
      if (talks[static_cast<std::size_t>(phase)] < 4)
        run.mpi.meet(kMeetings[talks[static_cast<std::size_t>(phase)]], run.mpi.everybody(),
                     std::string("main/") + kPhases[phase]);
      else
        run.halo();
    }
  }
}

void overlap(Run& run) {
  const int steps = run.chance.between(40, 120);
  const bool collective = run.chance.one_in(2);
  const double inner = run.milliseconds(5, 15), outer = run.milliseconds(10, 25);
  const bool late_inside = run.chance.one_in(3);
  const Extra extra = plant_extra(run, late_inside ? "inner" : "outer", inner + outer,
                                  run.some(run.a_few(), 0, run.ranks() - 1));
  const auto compute = [&](const char* function, double time, bool guilty) {
    compute_everywhere(run, function, time, guilty ? extra : Extra{});
  };
  for (int step = 0; step < steps; ++step) {
    compute("outer", outer, !late_inside);
    if (collective) run.mpi.start_collective("MPI_Iallreduce");
    for (int rank = 0; rank < run.ranks() && !collective; ++rank)
      run.mpi.start_exchange(rank, run.neighbours(rank));
    compute("inner", inner, late_inside);
    if (collective) run.mpi.complete_collective();
    for (int rank = 0; rank < run.ranks() && !collective; ++rank)
      run.mpi.complete_exchange(rank, run.neighbours(rank));
    if (step % 4 == 3) run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

void trees(Run& run) {
  const int steps = run.chance.between(30, 80), kind = run.chance.between(0, 3);
  const Tree tree = run.tree();
  const int root = run.chance.one_in(2) ? 0 : run.chance.between(0, run.ranks() - 1);
  const double work = run.milliseconds(10, 40);
  const int barrier_every = run.chance.between(1, 5);
  const Extra extra = plant_extra(run, "solve", work, {run.chance.between(0, run.ranks() - 1)});
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
    }
    const Group all = run.mpi.everybody();
    if (kind % 2 == 0) run.mpi.spread(kind == 0 ? "MPI_Bcast" : "MPI_Scatter", all, root, tree);
    if (kind % 2 == 1) run.mpi.collect(kind == 1 ? "MPI_Reduce" : "MPI_Gather", all, root, tree);
    if (step % barrier_every == 0) run.mpi.meet("MPI_Barrier", all);
  }
}

void callers(Run& run) {
  const int steps = run.chance.between(40, 120);
  const double work = run.milliseconds(5, 20);
  const double extra = work * run.chance.between(5, 10) / 5;
  const std::vector<int> writers = run.some(run.a_few(), 0, run.ranks() - 1);
  run.plant("assemble/kernel", run.some(run.a_few(), 0, run.ranks() - 1));
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve/kernel", work);
      run.mpi.compute(rank, "assemble/kernel", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, "assemble/kernel", extra);
    }
    run.mpi.meet("MPI_Allreduce", run.mpi.everybody(), "main/solve");
    for (const int rank : writers) run.mpi.compute(rank, "write/kernel", extra / 2);
    run.mpi.meet("MPI_Barrier", run.mpi.everybody(), "main/write");
  }
}

void rare_steps(Run& run) {
  const int steps = run.chance.between(60, 160), every = run.chance.between(4, 12);
  const double work = run.milliseconds(10, 40), extra = run.milliseconds(20, 150);
  const bool in_turn = run.chance.one_in(2);
  std::vector<int> late;
  if (in_turn)
    for (int rank = 0; rank < run.ranks() && rank * every + every - 1 < steps; ++rank) late.push_back(rank);
  else
    late = {run.chance.between(0, run.ranks() - 1)};
  run.plant("rebuild", late);
  int turn = 0;
  for (int step = 0; step < steps; ++step) {
    const bool slow = step % every == every - 1;
    const int who = in_turn ? turn % run.ranks() : late.front();
    turn += slow ? 1 : 0;
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      run.mpi.compute(rank, "update", work / 2);
      if (slow && rank == who && run.planted) run.mpi.compute(rank, "rebuild", extra);
    }
    run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

// Large data moves only while both sides are in MPI, and nonblocking collectives progress only once all ranks
// are in MPI.
void progress(Run& run) {
  const int steps = run.chance.between(40, 120), kind = run.chance.between(0, 2);
  const double inner = run.milliseconds(10, 25), outer = run.milliseconds(5, 15);
  const bool late_inside = !run.chance.one_in(3);
  const Extra extra = plant_extra(run, late_inside ? "inner" : "outer", inner + outer,
                                  run.some(run.a_few(), 0, run.ranks() - 1));
  const auto compute = [&](const char* function, double time, bool guilty) {
    compute_everywhere(run, function, time, guilty ? extra : Extra{});
  };
  for (int step = 0; step < steps; ++step) {
    compute("outer", outer, !late_inside);
    if (kind < 2)
      run.mpi.start_collective(kind == 0 ? "MPI_Iallreduce" : "MPI_Start");
    else
      for (int rank = 0; rank < run.ranks(); ++rank)
        run.mpi.start_exchange(rank, run.neighbours(rank), 1 << 20);
    compute("inner", inner, late_inside);
    if (kind < 2)
      run.mpi.complete_collective(true);
    else
      run.mpi.complete_exchanges_inside();
    if (step % 4 == 3) run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

}  // namespace waitdiag::test
