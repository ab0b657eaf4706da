// Ranks that start threads and wait for their end.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {
std::vector<int> thread_of_each(Run& run, SimulatedRanks::Calls calls) {
  std::vector<int> threads;
  for (int rank = 0; rank < run.ranks(); ++rank) threads.push_back(run.mpi.thread(rank, calls));
  return threads;
}

// Of the threads' own function, or of another one that only those of the guilty ranks run.
Extra plant_in_threads(Run& run, double time) {
  Extra extra{run.chance.one_in(2) ? "assemble" : "refine", time};
  run.plant(extra.function, run.some(run.a_few(), 0, run.ranks() - 1));
  run.truth.call_path = "work/" + extra.function;
  return extra;
}

Group group_of_threads(Run& run) {
  Group group = run.mpi.group("of_threads", run.mpi.everybody().ranks);
  group.ranks = thread_of_each(run, SimulatedRanks::Calls::Mpi);
  return group;
}

// In each step a thread works beside the main thread, for a shorter or a longer time.
void joined_thread(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(10, 20), filter = work * run.chance.between(2, 10) / 10;
  const double own = (work + filter) * run.chance.between(0, 15) / 10;
  const double hidden = std::max(0.0, own - work - filter);
  const bool extra_first = run.chance.one_in(2);
  const Extra extra = plant_in_threads(run, hidden + work * run.chance.between(4, 15) / 10);
  const std::vector<int> threads = thread_of_each(run);
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const int thread = threads[static_cast<std::size_t>(rank)];
      const double more = run.planted && run.guilty(rank) ? extra.time : 0;
      run.mpi.start(thread);
      if (extra_first) run.mpi.compute(thread, extra.function, more);
      run.mpi.compute(thread, "assemble", work);
      run.mpi.compute(thread, "filter", filter);
      if (!extra_first) run.mpi.compute(thread, extra.function, more);
      run.mpi.compute(rank, "own", own);
      run.mpi.join(thread);
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// In each step several threads share the work, perhaps with the main thread; one of them takes longer.
void thread_team(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const int helpers = run.chance.between(2, 4);
  const double work = run.milliseconds(10, 40);
  const bool with_main = run.chance.one_in(2);
  const int late = run.chance.between(with_main ? -1 : 0, helpers - 1);  // -1: the main thread
  const Extra extra = plant_in_threads(run, work * run.chance.between(4, 15) / 10);
  if (late < 0) run.truth.call_path = "main/" + extra.function;
  std::vector<std::vector<int>> teams;
  for (int helper = 0; helper < helpers; ++helper) teams.push_back(thread_of_each(run));
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const double more = run.planted && run.guilty(rank) ? extra.time : 0;
      for (int helper = 0; helper < helpers; ++helper) {
        const int thread = teams[static_cast<std::size_t>(helper)][static_cast<std::size_t>(rank)];
        run.mpi.start(thread);
        run.mpi.compute(thread, "assemble", work);
        if (helper == late) run.mpi.compute(thread, extra.function, more);
      }
      if (with_main) run.mpi.compute(rank, "assemble", work);
      if (late < 0) run.mpi.compute(rank, extra.function, more);
      for (const auto& team : teams) run.mpi.join(team[static_cast<std::size_t>(rank)]);
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// A thread works beside many steps, and is joined behind them.
void background(Run& run) {
  const int steps = run.chance.between(20, 40), talk = run.chance.between(0, 3);
  const double step_time = run.milliseconds(10, 30), all = steps * step_time;
  const double work = all * run.chance.between(5, 9) / 10;
  const Extra extra = plant_in_threads(run, all - work + all * run.chance.between(4, 10) / 10);
  const std::vector<int> threads = thread_of_each(run);
  for (int round = 0; round < 3; ++round) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const int thread = threads[static_cast<std::size_t>(rank)];
      run.mpi.start(thread);
      run.mpi.compute(thread, "assemble", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(thread, extra.function, extra.time);
    }
    for (int step = 0; step < steps; ++step) {
      for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.compute(rank, "solve", step_time);
      run.mpi.meet(kMeetings[talk], run.mpi.everybody());
    }
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.join(threads[static_cast<std::size_t>(rank)]);
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// A thread computes, and then it is blocked in a call.
void blocked_thread(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(10, 20), usual = work * run.chance.between(0, 5) / 10;
  const double own = run.chance.one_in(2) ? 0 : work;
  const std::string call = run.chance.one_in(2) ? "usleep" : "write";
  const Extra extra = plant_in_threads(run, work * run.chance.between(4, 15) / 10);
  run.truth.call_path = "work/store/" + call + "/(blocked)";
  const std::vector<int> threads = thread_of_each(run);
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const int thread = threads[static_cast<std::size_t>(rank)];
      run.mpi.start(thread);
      run.mpi.compute(thread, "assemble", work);
      run.mpi.block(thread, "store", call, usual + (run.planted && run.guilty(rank) ? extra.time : 0));
      run.mpi.compute(rank, "own", own);
      run.mpi.join(thread);
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// Several threads of each rank, and each has a ring with those of its number of the other ranks; one thread takes longer.
void thread_rings(Run& run) {
  const int rounds = run.chance.between(1, 4), steps = run.chance.between(15, 40);
  const int rings = run.chance.between(2, 3), late = run.chance.between(0, rings - 1), size = run.ranks();
  const double work = run.milliseconds(5, 20), setup = work * run.chance.between(0, 30) / 10;
  const Extra extra = plant_extra(run, "assemble", work, {run.chance.between(0, size - 1)});
  run.truth.call_path = "work/" + extra.function;
  std::vector<std::vector<int>> threads;
  for (int ring = 0; ring < rings; ++ring) threads.push_back(thread_of_each(run, SimulatedRanks::Calls::Mpi));
  for (int round = 0; round < rounds; ++round) {
    for (int rank = 0; rank < size; ++rank) run.mpi.compute(rank, "setup", setup);
    for (const auto& ring : threads)
      for (const int thread : ring) run.mpi.start(thread);
    for (int ring = 0; ring < rings; ++ring) {
      const auto thread = [&](int rank) {
        return threads[static_cast<std::size_t>(ring)][static_cast<std::size_t>(rank)];
      };
      for (int step = 0; step < steps; ++step) {
        for (int rank = 0; rank < size; ++rank) {
          run.mpi.compute(thread(rank), "assemble", work);
          if (ring == late && run.planted && run.guilty(rank))
            run.mpi.compute(thread(rank), extra.function, extra.time);
          run.mpi.send(thread(rank), thread((rank + 1) % size), "work");
        }
        for (int rank = 0; rank < size; ++rank)
          run.mpi.receive(thread(rank), thread((rank + size - 1) % size), "work");
      }
    }
    for (const auto& ring : threads)
      for (const int thread : ring) run.mpi.join(thread);
    run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

// A thread of each rank polls for messages that never come, beside all steps of the main thread.
void service_thread(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(10, 20), pause = run.milliseconds(5, 10);
  const Extra extra = plant_extra(run, "assemble", work, run.some(run.a_few(), 0, run.ranks() - 1));
  const std::vector<int> threads = thread_of_each(run, SimulatedRanks::Calls::Mpi);
  for (const int thread : threads) run.mpi.start(thread);
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "assemble", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
  for (const int thread : threads) run.mpi.poll_in_vain(thread, pause);
  for (const int thread : threads) run.mpi.join(thread);
}

// A thread meets those of the other ranks (MPI_THREAD_MULTIPLE), and is late before that or behind it.
void calling_threads(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(10, 20), own = work * run.chance.between(0, 15) / 10;
  const bool behind = run.chance.one_in(2);
  const Extra extra = plant_in_threads(run, work * run.chance.between(4, 15) / 10);
  const Group group = group_of_threads(run);
  const auto compute = [&](bool late) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const int thread = group.ranks[static_cast<std::size_t>(rank)];
      run.mpi.compute(thread, "assemble", work);
      if (late && run.planted && run.guilty(rank)) run.mpi.compute(thread, extra.function, extra.time);
    }
  };
  for (int step = 0; step < steps; ++step) {
    for (const int thread : group.ranks) run.mpi.start(thread);
    compute(!behind);
    run.mpi.meet("MPI_Allreduce", group, "work");
    compute(behind);
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.compute(rank, "own", own);
    for (const int thread : group.ranks) run.mpi.join(thread);
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

}  // namespace waitdiag::test
