// What the shapes of planted programs have in common: one run of a program, with its cause or without.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/planted/planted_programs.hpp"
#include "tests/support/simulated/simulated_ranks.hpp"

namespace waitdiag::test {

constexpr double kMillisecond = 1000;

// One run of a program, with the cause or without it: both draw the same numbers.
struct Run {
  SimulatedRanks& mpi;
  Chance chance;
  bool planted;
  bool second_planted;  // the second cause of shapes with two
  PlantedTruth& truth;
  // The waiting that the cause is to blame for, if it is not simply the waiting that disappears without it.
  std::function<double()> waits_planted{};

  int ranks() const { return mpi.ranks(); }
  bool guilty(int rank) const { return std::ranges::count(truth.ranks, rank) > 0; }
  double milliseconds(int low, int high) { return chance.between(low, high) * kMillisecond; }
  Tree tree() { return static_cast<Tree>(chance.between(0, 3)); }
  // Some different numbers, in order.
  std::vector<int> some(int count, int first, int last) {
    std::vector<int> found;
    while (static_cast<int>(found.size()) < count) {
      const int rank = chance.between(first, last);
      if (std::ranges::count(found, rank) == 0) found.push_back(rank);
    }
    std::ranges::sort(found);
    return found;
  }
  // Nothing is planted: no function is to be named.
  void plant_nothing() {
    truth.call_path.clear();
    truth.ranks.clear();
  }
  void plant(const std::string& function, std::vector<int> where) {
    truth.call_path = "main/" + function;
    truth.ranks = std::move(where);
  }
  int a_few() { return chance.between(1, std::max(1, ranks() / 4)); }
  void halo() {
    for (int rank = 0; rank < ranks(); ++rank) mpi.start_exchange(rank, neighbours(rank));
    for (int rank = 0; rank < ranks(); ++rank) mpi.complete_exchange(rank, neighbours(rank));
  }
  std::vector<int> neighbours(int rank) const {
    const int left = (rank + ranks() - 1) % ranks(), right = (rank + 1) % ranks();
    return left == right ? std::vector{left} : std::vector{left, right};
  }
};

inline constexpr const char* kPhases[] = {"advect", "diffuse", "project", "radiate"};
inline constexpr const char* kMeetings[] = {"MPI_Allreduce", "MPI_Barrier", "MPI_Alltoall", "MPI_Allgather"};

// More of the function itself, or of another one that only the guilty ranks run.
struct Extra {
  std::string function;
  double time;
};
inline Extra plant_extra(Run& run, const std::string& function, double work, std::vector<int> where) {
  Extra extra{run.chance.one_in(2) ? function : "refine", work * run.chance.between(3, 10) / 10};
  run.plant(extra.function, std::move(where));
  return extra;
}

// All compute solve(), those that `late` gives for longer than the others; then `talk` brings them together. Now and then all
// meet, every `apart` steps at most.
template <typename Late, typename Talk>
void late_before(Run& run, int apart, Late late, Talk talk) {
  const int steps = run.chance.between(40, 100), meet_every = run.chance.between(2, apart);
  const double work = run.milliseconds(10, 40);
  const Extra extra = plant_extra(run, "solve", work, late());
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
    }
    talk(step);
    if (step % meet_every == 0) run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

// Where all ranks do the same (planted_phases.cpp, planted_loads.cpp).
void spmd(Run& run);
void overlap(Run& run);
void progress(Run& run);
void trees(Run& run);
void callers(Run& run);
void rare_steps(Run& run);
void drifting(Run& run);
void hot_spot(Run& run);
void slow_node(Run& run);
void balanced(Run& run);
void crowded(Run& run);
void lost_in_calls(Run& run);
void growing(Run& run);
// The same with other operations (planted_operations.cpp).
void scans(Run& run);
void irregular(Run& run);
void persistent(Run& run);
void protocols(Run& run);
void fences(Run& run);
void epochs(Run& run);
void locks(Run& run);
void two_at_once(Run& run);
void probing(Run& run);
// Patterns that programs write by themselves (planted_patterns.cpp).
void wavefront(Run& run);
void ring(Run& run);
void dynamic_halo(Run& run);
void hand_made_tree(Run& run);
void readers(Run& run);
void late_origin(Run& run);
void replicated_stage(Run& run);
void restarts(Run& run);
void stealing(Run& run);
void recursion(Run& run);
void staggered(Run& run);
void uneven_blocks(Run& run);
// Threads of all ranks, by rank; with a function of theirs that takes longer on some (planted_threads.cpp).
std::vector<int> thread_of_each(Run& run, SimulatedRanks::Calls calls = SimulatedRanks::Calls::No);
Extra plant_in_threads(Run& run, double time);
// These threads, which call MPI, and their communicator.
Group group_of_threads(Run& run);
// With threads that wake each other (planted_wakes.cpp).
void woken_thread(Run& run);
void thread_pool(Run& run);
void read_ahead(Run& run);
void promises(Run& run);
void idle_threads(Run& run);
void exchange_thread(Run& run);
// With threads (planted_threads.cpp).
void joined_thread(Run& run);
void thread_team(Run& run);
void background(Run& run);
void blocked_thread(Run& run);
void calling_threads(Run& run);
void service_thread(Run& run);
void thread_rings(Run& run);
// Exchanges of which each rank takes a part only (planted_sparse.cpp).
void scan_chain(Run& run);
void sparse_exchange(Run& run);
void consensus(Run& run);
void two_levels(Run& run);
void deferred_waits(Run& run);
void request_pool(Run& run);
// Farms, a writer, and ranks that are late in turn (planted_farms.cpp).
void epoch_ring(Run& run);
void lock_farm(Run& run);
void task_farm(Run& run);
void counter_farm(Run& run);
void writer(Run& run);
void moving_load(Run& run);
void taking_turns(Run& run);
// What real codes combine (planted_codes.cpp).
void subcycling(Run& run);
void aggregators(Run& run);
void started_early(Run& run);
void busy_target(Run& run);
void migration(Run& run);
void probe_server(Run& run);
void adaptive_steps(Run& run);
// What hybrid and coupled codes do (planted_hybrids.cpp).
void regridding(Run& run);
void output_servers(Run& run);
void critical_section(Run& run);
void tested_collective(Run& run);
void nested_roles(Run& run);
void busy_owner(Run& run);
// Exchanges in parts (planted_shifts.cpp).
void stencil(Run& run);
void epoch_chain(Run& run);
void shift(Run& run);
void partial_starts(Run& run);
void rotating_leaders(Run& run);
void moving_sizes(Run& run);
void segments(Run& run);
void two_teams(Run& run);
void barrier_loop(Run& run);
void operators(Run& run);
// With two causes (planted_pairs.cpp).
void two_causes(Run& run);
void alternating(Run& run);
// Where samples may not tell (planted_pairs.cpp).
void rivals(Run& run);
void few_samples(Run& run);
// Where they do not (planted_roles.cpp, planted_chains.cpp).
void groups(Run& run);
void climate(Run& run);
void different_work(Run& run);
void master_and_workers(Run& run);
void task_queue(Run& run);
void token(Run& run);
void pipeline(Run& run);
void sweep(Run& run);
void event_loop(Run& run);
void server(Run& run);
void nested(Run& run);
void nodes(Run& run);
void clients(Run& run);

}  // namespace waitdiag::test
