// How fast the replay is: operations (calls and stretches of computation) per CPU second, and bytes per
// operation, for a 3-D halo exchange with an Allreduce in every step (halo_run.hpp).
//
//   replay_bench [ranks] [steps] [machine]    64 ranks by default; a machine file, or the name of a known machine
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "analyzer/simulation/machine/collective_table.hpp"
#include "analyzer/simulation/replay/replay.hpp"
#include "tests/bench/halo_run.hpp"

namespace waitdiag {
namespace {

double resident_bytes(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return 1024 * std::strtod(line.c_str() + std::string(key).size() + 1, nullptr);
  return 0;
}

void measure(int ranks, int steps, const std::string& machine_name) {
  const Trace trace = bench::HaloRun(ranks, steps).trace();
  const SyncPoints sync = match(trace);
  const GapTimes gaps = recorded_gaps(trace);
  const double before = resident_bytes("VmRSS");
  const double start = bench::cpu_seconds();
  const Program program = make_program(trace, sync, gaps);
  const double made = bench::cpu_seconds();
  const Machine machine = find_machine(machine_name);
  const Placement placement(machine, trace.ranks());
  const Replayed run = replay(program, {machine, placement, find_collectives("mpich")}, false);
  const double done = bench::cpu_seconds();
  const auto operations = static_cast<double>(program.operations);
  std::printf(
      "%s, %d ranks, %d steps: %.2f M operations, %.2f M messages; program %.2f s; replay %.2f s, "
      "%.2f M operations/s; %.0f bytes per operation; run time %.6f s\n",
      machine_name.c_str(), ranks, steps, 1e-6 * operations, 1e-6 * static_cast<double>(run.messages),
      made - start, done - made, 1e-6 * operations / (done - made),
      (resident_bytes("VmHWM") - before) / operations, seconds(run.end - run.begin));
}

}  // namespace
}  // namespace waitdiag

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 64, steps = argc > 2 ? std::atoi(argv[2]) : 20;
  if (argc > 3) {
    waitdiag::measure(ranks, steps, argv[3]);
    return 0;
  }
  for (const char* machine : {"ideal", "mvs-15k", "gigabit-multicore"})
    waitdiag::measure(ranks, steps, machine);
}
