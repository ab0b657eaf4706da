// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/planted/planted_programs.hpp"

#include <algorithm>

#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {
namespace {

enum class Planted : std::uint8_t { First, Second, Both };
struct Shape {
  std::string_view name;
  void (*run)(Run&);
};
// By age: a further one, at the end, leaves the programs of the others as they are.
constexpr Shape kShapes[] = {
    {"Spmd", spmd},
    {"Overlap", overlap},
    {"Progress", progress},
    {"Trees", trees},
    {"Callers", callers},
    {"RareSteps", rare_steps},
    {"Drifting", drifting},
    {"HotSpot", hot_spot},
    {"SlowNode", slow_node},
    {"Balanced", balanced},
    {"Crowded", crowded},
    {"Groups", groups},
    {"Climate", climate},
    {"DifferentWork", different_work},
    {"MasterAndWorkers", master_and_workers},
    {"TaskQueue", task_queue},
    {"Token", token},
    {"Pipeline", pipeline},
    {"Sweep", sweep},
    {"EventLoop", event_loop},
    {"Server", server},
    {"TwoCauses", two_causes},
    {"Alternating", alternating},
    {"Growing", growing},
    {"Nested", nested},
    {"Nodes", nodes},
    {"Clients", clients},
    {"Scans", scans},
    {"Irregular", irregular},
    {"Persistent", persistent},
    {"Protocols", protocols},
    {"Fences", fences},
    {"Epochs", epochs},
    {"Locks", locks},
    {"TwoAtOnce", two_at_once},
    {"Probing", probing},
    {"Wavefront", wavefront},
    {"Ring", ring},
    {"DynamicHalo", dynamic_halo},
    {"HandMadeTree", hand_made_tree},
    {"Readers", readers},
    {"LateOrigin", late_origin},
    {"Restarts", restarts},
    {"Stealing", stealing},
    {"Recursion", recursion},
    {"Staggered", staggered},
    {"UnevenBlocks", uneven_blocks},
    {"JoinedThread", joined_thread},
    {"ThreadTeam", thread_team},
    {"Background", background},
    {"BlockedThread", blocked_thread},
    {"CallingThreads", calling_threads},
    {"WokenThread", woken_thread},
    {"ThreadPool", thread_pool},
    {"ReadAhead", read_ahead},
    {"Promises", promises},
    {"IdleThreads", idle_threads},
    {"ExchangeThread", exchange_thread},
    {"ServiceThread", service_thread},
    {"ScanChain", scan_chain},
    {"SparseExchange", sparse_exchange},
    {"Consensus", consensus},
    {"TwoLevels", two_levels},
    {"DeferredWaits", deferred_waits},
    {"RequestPool", request_pool},
    {"EpochRing", epoch_ring},
    {"LockFarm", lock_farm},
    {"TaskFarm", task_farm},
    {"CounterFarm", counter_farm},
    {"Writer", writer},
    {"MovingLoad", moving_load},
    {"TakingTurns", taking_turns},
    {"Rivals", rivals},
    {"FewSamples", few_samples},
    {"ReplicatedStage", replicated_stage},
    {"ThreadRings", thread_rings},
    {"Subcycling", subcycling},
    {"Aggregators", aggregators},
    {"StartedEarly", started_early},
    {"BusyTarget", busy_target},
    {"Migration", migration},
    {"ProbeServer", probe_server},
    {"AdaptiveSteps", adaptive_steps},
    {"Regridding", regridding},
    {"OutputServers", output_servers},
    {"CriticalSection", critical_section},
    {"TestedCollective", tested_collective},
    {"NestedRoles", nested_roles},
    {"BusyOwner", busy_owner},
    {"Stencil", stencil},
    {"EpochChain", epoch_chain},
    {"Shift", shift},
    {"PartialStarts", partial_starts},
    {"RotatingLeaders", rotating_leaders},
    {"MovingSizes", moving_sizes},
    {"Segments", segments},
    {"TwoTeams", two_teams},
    {"BarrierLoop", barrier_loop},
    {"Operators", operators},
    {"LostInCalls", lost_in_calls},
};
static_assert(std::size(kShapes) == std::size(kPlantedShapes) + std::size(kUncertainShapes));

}  // namespace

PlantedProgram planted_program(std::string_view shape, std::uint64_t seed, bool sampled) {
  constexpr int kSizes[] = {2, 3, 4, 4, 5, 6, 8, 8, 12, 16, 32, 64};
  constexpr double kNoise[] = {0, 0, 0.01, 0.03};
  const auto which = static_cast<std::size_t>(std::ranges::find(kShapes, shape, &Shape::name) - kShapes);
  constexpr std::uint64_t kMostShapes = 1000;
  Chance chance(seed * kMostShapes + which);
  const bool halves = shape == "Groups" || shape == "DifferentWork" || shape == "Climate" ||
                      shape == "Subcycling" || shape == "NestedRoles" || shape == "TwoTeams";
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
    kShapes[which].run(run);
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
    (run.planted ? program.text : program.without) = mpi.text();
  }
  return program;
}

}  // namespace waitdiag::test
