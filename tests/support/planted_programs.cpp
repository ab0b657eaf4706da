// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/planted_programs.hpp"

#include <algorithm>

#include "tests/support/planted_run.hpp"

namespace waitdiag::test {
namespace {

using Shape = void (*)(Run&);
constexpr Shape kShapes[] = {
    spmd,      overlap,  progress, trees,      callers, rare_steps,     drifting,           hot_spot,
    slow_node, balanced, crowded,  groups,     climate, different_work, master_and_workers, task_queue,
    token,     pipeline, sweep,    event_loop, server,
};
static_assert(std::size(kShapes) == std::size(kPlantedShapes));

}  // namespace

PlantedProgram planted_program(std::string_view shape, std::uint64_t seed, bool sampled) {
  constexpr int kSizes[] = {2, 3, 4, 4, 5, 6, 8, 8, 12, 16, 32, 64};
  constexpr double kNoise[] = {0, 0, 0.01, 0.03};
  const auto which = std::ranges::find(kPlantedShapes, shape) - std::begin(kPlantedShapes);
  Chance chance(seed * std::size(kShapes) + static_cast<std::size_t>(which));
  const bool halves = shape == "Groups" || shape == "DifferentWork" || shape == "Climate";
  const int ranks =
      std::max(kSizes[chance.between(0, static_cast<int>(std::size(kSizes)) - 1)], halves ? 4 : 2);
  const double noise = kNoise[chance.between(0, static_cast<int>(std::size(kNoise)) - 1)];
  PlantedProgram program;
  PlantedTruth& truth = program.truth;
  for (const bool planted : {false, true}) {
    SimulatedRanks mpi(ranks, seed, sampled, noise);
    Run run{mpi, chance, planted, truth};
    mpi.meet("MPI_Barrier", mpi.everybody());
    kShapes[which](run);
    mpi.meet("MPI_Barrier", mpi.everybody());
    const double waited_before = truth.waited_s;
    (planted ? truth.seconds : truth.runtime_s) = mpi.seconds();
    truth.waited_s = mpi.waited_seconds();
    truth.share = (run.waits_planted ? run.waits_planted() : truth.waited_s - waited_before) / truth.waited_s;
    if (truth.others > 0) truth.share = 1 - truth.others;
    if (planted) program.text = mpi.text();
  }
  return program;
}

}  // namespace waitdiag::test
