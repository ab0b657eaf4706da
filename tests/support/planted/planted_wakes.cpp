// Ranks whose threads live for long, and wait for each other.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {
namespace {

std::vector<int> started(Run& run, std::vector<int> threads) {
  for (const int thread : threads) run.mpi.start(thread);
  return threads;
}

// So many threads of each rank.
std::vector<std::vector<int>> started_pool(Run& run, int helpers) {
  std::vector<std::vector<int>> pool;
  for (int helper = 0; helper < helpers; ++helper) pool.push_back(thread_of_each(run));
  for (std::vector<int>& threads : pool) threads = started(run, std::move(threads));
  return pool;
}

// They get work no more.
void end_threads(Run& run, const std::vector<int>& threads) {
  for (std::size_t rank = 0; rank < threads.size(); ++rank) {
    run.mpi.wake(static_cast<int>(rank), threads[rank]);
    run.mpi.join(threads[rank]);
  }
}

}  // namespace

void woken_thread(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(10, 20), filter = work * run.chance.between(2, 10) / 10;
  const double own = (work + filter) * run.chance.between(0, 15) / 10;
  const double hidden = std::max(0.0, own - work - filter), serial = work * run.chance.between(0, 10) / 10;
  const bool extra_first = run.chance.one_in(2);
  const Extra extra = plant_in_threads(run, hidden + work * run.chance.between(4, 15) / 10);
  const std::vector<int> threads = started(run, thread_of_each(run));
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const int thread = threads[static_cast<std::size_t>(rank)];
      const double more = run.planted && run.guilty(rank) ? extra.time : 0;
      run.mpi.compute(rank, "prepare", serial);
      run.mpi.wake(rank, thread);
      if (extra_first) run.mpi.compute(thread, extra.function, more);
      run.mpi.compute(thread, "assemble", work);
      run.mpi.compute(thread, "filter", filter);
      if (!extra_first) run.mpi.compute(thread, extra.function, more);
      run.mpi.compute(rank, "own", own);
      run.mpi.wake(thread, rank);
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
  end_threads(run, threads);
}

// The late task comes last, or else other threads may do what is left meanwhile.
void thread_pool(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const int helpers = run.chance.between(2, 4), tasks = helpers * run.chance.between(1, 4);
  const double work = run.milliseconds(5, 20), serial = work * run.chance.between(0, 10) / 10;
  const Extra extra = plant_in_threads(run, work * run.chance.between(6, 20) / 10);
  const std::vector<std::vector<int>> pool = started_pool(run, helpers);
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      std::vector<int> threads;
      for (const auto& of_all : pool) threads.push_back(of_all[static_cast<std::size_t>(rank)]);
      run.mpi.compute(rank, "prepare", serial);
      for (const int thread : threads) run.mpi.wake(rank, thread);
      const auto now = [&](int thread) { return run.mpi.now(thread); };
      for (int task = 1; task <= tasks; ++task) {
        const int thread = *std::ranges::min_element(threads, {}, now);
        run.mpi.compute(thread, "assemble", work);
        const bool late = task == tasks && run.planted && run.guilty(rank);
        if (late) run.mpi.compute(thread, extra.function, extra.time);
      }
      run.mpi.wake(*std::ranges::max_element(threads, {}, now), rank);
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
  for (const auto& threads : pool) end_threads(run, threads);
}

// The thread has one step's time for it.
void read_ahead(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const double solve = run.milliseconds(10, 20), work = solve * run.chance.between(3, 9) / 10;
  const Extra extra = plant_in_threads(run, solve - work + solve * run.chance.between(4, 15) / 10);
  const std::vector<int> threads = started(run, thread_of_each(run));
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const int thread = threads[static_cast<std::size_t>(rank)];
      run.mpi.compute(thread, "assemble", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(thread, extra.function, extra.time);
      run.mpi.wake(thread, rank);
      run.mpi.wake(rank, thread);
      run.mpi.compute(rank, "solve", solve);
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
  end_threads(run, threads);
}

// What the thread does behind that is nobody's wait.
void promises(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(10, 20), own = work * run.chance.between(0, 10) / 10;
  const double behind = work * run.chance.between(0, 5) / 10;
  const Extra extra = plant_in_threads(run, work * run.chance.between(4, 15) / 10);
  const std::vector<int> threads = thread_of_each(run);
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const int thread = threads[static_cast<std::size_t>(rank)];
      run.mpi.start(thread);
      run.mpi.compute(thread, "assemble", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(thread, extra.function, extra.time);
      run.mpi.compute(rank, "own", own);
      run.mpi.wake(thread, rank);
      run.mpi.compute(thread, "clean_up", behind);
      run.mpi.compute(rank, "finish", 2 * behind);
      run.mpi.join(thread);
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

void idle_threads(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const int helpers = run.chance.between(1, 3);
  const double work = run.milliseconds(5, 20), serial = work * run.chance.between(5, 20) / 10;
  const Extra extra = plant_extra(run, "solve", serial, run.some(run.a_few(), 0, run.ranks() - 1));
  const std::vector<std::vector<int>> pool = started_pool(run, helpers);
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", serial);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
      for (const auto& threads : pool) {
        const int thread = threads[static_cast<std::size_t>(rank)];
        run.mpi.wake(rank, thread);
        run.mpi.compute(thread, "assemble", work);
      }
      for (const auto& threads : pool) run.mpi.wake(threads[static_cast<std::size_t>(rank)], rank);
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
  for (const auto& threads : pool) end_threads(run, threads);
}

// Late is the main thread before it asks for that, or the thread itself.
void exchange_thread(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(10, 20), pack = work * run.chance.between(2, 10) / 10;
  const bool in_main = run.chance.one_in(2);
  const Extra extra = plant_in_threads(run, work * run.chance.between(4, 15) / 10);
  if (in_main) run.truth.call_path = "main/" + extra.function;
  const Group group = group_of_threads(run);
  for (const int thread : group.ranks) run.mpi.start(thread);
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const int thread = group.ranks[static_cast<std::size_t>(rank)];
      const double more = run.planted && run.guilty(rank) ? extra.time : 0;
      run.mpi.compute(rank, "assemble", work);
      if (in_main) run.mpi.compute(rank, extra.function, more);
      run.mpi.wake(rank, thread);
      run.mpi.compute(thread, "pack", pack);
      if (!in_main) run.mpi.compute(thread, extra.function, more);
    }
    run.mpi.meet(kMeetings[talk], group, "work");
    for (int rank = 0; rank < run.ranks(); ++rank)
      run.mpi.wake(group.ranks[static_cast<std::size_t>(rank)], rank);
  }
  end_threads(run, group.ranks);
}

}  // namespace waitdiag::test
