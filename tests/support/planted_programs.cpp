// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/planted_programs.hpp"

#include <algorithm>
#include <span>

#include "tests/support/planted_run.hpp"

namespace waitdiag::test {
namespace {

using Shape = void (*)(Run&);
enum class Planted : std::uint8_t { First, Second, Both };
constexpr Shape kShapes[] = {
    spmd,
    overlap,
    progress,
    trees,
    callers,
    rare_steps,
    drifting,
    hot_spot,
    slow_node,
    balanced,
    crowded,
    groups,
    climate,
    different_work,
    master_and_workers,
    task_queue,
    token,
    pipeline,
    sweep,
    event_loop,
    server,
    two_causes,
    alternating,
    growing,
    nested,
    nodes,
    clients,
    scans,
    irregular,
    persistent,
    protocols,
    fences,
    epochs,
    locks,
    two_at_once,
    probing,
    wavefront,
    ring,
    dynamic_halo,
    hand_made_tree,
    readers,
    late_origin,
    restarts,
    stealing,
    recursion,
    staggered,
    uneven_blocks,
    joined_thread,
    thread_team,
    background,
    blocked_thread,
    calling_threads,
    woken_thread,
    thread_pool,
    read_ahead,
    promises,
    idle_threads,
    exchange_thread,
    service_thread,
    scan_chain,
    sparse_exchange,
    consensus,
    two_levels,
    deferred_waits,
    request_pool,
    epoch_ring,
    lock_farm,
    task_farm,
    counter_farm,
    writer,
    moving_load,
    taking_turns,
    rivals,
    few_samples,
    replicated_stage,
};
static_assert(std::size(kShapes) == std::size(kPlantedShapes) + std::size(kUncertainShapes));

std::size_t number_of(std::string_view shape) {
  std::size_t before = 0;
  for (const std::span<const std::string_view> shapes :
       {std::span<const std::string_view>(kPlantedShapes),
        std::span<const std::string_view>(kUncertainShapes)}) {
    const auto place = static_cast<std::size_t>(std::ranges::find(shapes, shape) - shapes.begin());
    if (place < shapes.size()) return before + place;
    before += shapes.size();
  }
  return before;
}

}  // namespace

PlantedProgram planted_program(std::string_view shape, std::uint64_t seed, bool sampled) {
  constexpr int kSizes[] = {2, 3, 4, 4, 5, 6, 8, 8, 12, 16, 32, 64};
  constexpr double kNoise[] = {0, 0, 0.01, 0.03};
  const std::size_t which = number_of(shape);
  constexpr std::uint64_t kMostShapes = 1000;  // a further one leaves the programs of the others as they are
  Chance chance(seed * kMostShapes + which);
  const bool halves = shape == "Groups" || shape == "DifferentWork" || shape == "Climate";
  const int ranks =
      std::max(kSizes[chance.between(0, static_cast<int>(std::size(kSizes)) - 1)], halves ? 4 : 2);
  const double noise = kNoise[chance.between(0, static_cast<int>(std::size(kNoise)) - 1)];
  PlantedProgram program;
  PlantedTruth& truth = program.truth;
  for (const Planted planted : {Planted::Second, Planted::First, Planted::Both}) {
    if (planted == Planted::First && truth.second.empty()) continue;
    SimulatedRanks mpi(ranks, seed, sampled, noise);
    Run run{mpi, chance, planted != Planted::Second, planted != Planted::First, truth};
    mpi.meet("MPI_Barrier", mpi.everybody());
    kShapes[which](run);
    mpi.meet("MPI_Barrier", mpi.everybody());
    if (planted == Planted::First) {
      truth.runtime_without_second_s = mpi.seconds();
      continue;
    }
    const double waited_before = truth.waited_s;
    (run.planted ? truth.seconds : truth.runtime_s) = mpi.seconds();
    truth.waited_s = mpi.waited_seconds();
    truth.longer_s = mpi.computed_seconds() - truth.longer_s;
    truth.share = (run.waits_planted ? run.waits_planted() : truth.waited_s - waited_before) / truth.waited_s;
    if (truth.others > 0) truth.share = 1 - truth.others;
    if (run.planted) program.text = mpi.text();
  }
  return program;
}

}  // namespace waitdiag::test
