// What finding the recorded machine costs: CPU seconds, beside those of one replay of the same runs. The runs of 4 to
// 32 ranks are made up (halo_run.hpp), on a machine whose two outer levels no system tree shows.
//
//   recorded_machine_bench [steps]
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "analyzer/simulation/prediction/predict.hpp"
#include "analyzer/simulation/recorded_machine/recorded_machine.hpp"
#include "tests/bench/halo_run.hpp"

namespace waitdiag {
namespace {

// Every rank has a node of its own.
constexpr const char* kMachine = R"(
name = "cluster"
eager = "64 KiB"
[[level]]
name = "cabinet"
latency = "8 us"
bandwidth = "1 GB/s"
[[level]]
name = "switch"
units = 4
latency = "3 us"
bandwidth = "2 GB/s"
[[level]]
name = "node"
units = 4
latency = "1 us"
bandwidth = "4 GB/s"
)";

void measure(int steps) {
  const Machine machine = parse_machine(kMachine, "cluster");
  const Scenario scenario{.machine = machine};
  std::deque<Trace> traces;
  std::vector<RunOfMachine> runs;
  double replaying = 0;
  for (const int ranks : {4, 8, 16, 32}) {
    const Trace program = bench::HaloRun(ranks, steps).trace();
    const Predictor predictor(program);
    const double start = bench::cpu_seconds();
    const Predicted predicted = predictor.predict(scenario, true);
    replaying += bench::cpu_seconds() - start;
    runs.push_back({&traces.emplace_back(predictor.trace_of(predicted, scenario)), std::to_string(ranks)});
  }
  const double start = bench::cpu_seconds();
  const RecordedMachine found = find_recorded_machine(runs);
  const double finding = bench::cpu_seconds() - start;
  const RecordedMachineReport::Check& check = found.report.checks.back();
  std::printf(
      "runs of 4 to 32 ranks, %d steps: the machine in %.2f s, one replay of all of them %.3f s, ratio %.1f; "
      "%zu levels of 3, replay of %llu ranks off by %.2f %%\n",
      steps, finding, replaying, finding / replaying, found.machine.levels.size(),
      static_cast<unsigned long long>(check.ranks), 100 * (check.replayed_s / check.recorded_s - 1));
}

}  // namespace
}  // namespace waitdiag

int main(int argc, char** argv) {
  waitdiag::measure(argc > 1 ? std::atoi(argv[1]) : 20);
}
