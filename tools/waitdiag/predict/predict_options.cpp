// The options of `waitdiag predict` by subject: the machine and what changes, nodes, another size.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>

#include "analyzer/simulation/prediction/sweep.hpp"
#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/predict/node_options.hpp"
#include "tools/waitdiag/predict/rescale_options.hpp"
#include "tools/waitdiag/predict/scenario_options.hpp"

namespace waitdiag::tool {

void add_scenario_options(CLI::App& command, ScenarioOptions& options) {
  std::string names;
  for (const ReadyMachine& machine : ready_machines())
    names += std::string(names.empty() ? "" : ", ") + machine.name;
  command
      .add_option("--machine", options.machine,
                  "The machine to predict for: a TOML file, or one that is known: " + names +
                      ", recorded (found in the runs) [recorded]")
      ->type_name("MACHINE|FILE");
  command.add_flag("--ideal-network", options.ideal_network,
                   "Short for --machine ideal: messages cost nothing");
  command
      .add_option("--swap-machine", options.swap_machine,
                  "Take the network, or how fast it computes, from another machine: network=mvs-15k")
      ->type_name("PART=MACHINE|FILE");
  command
      .add_option("--map", options.map,
                  "Ranks fill one node after the other, take turns, or as a file says: one core per line")
      ->type_name("block|cyclic|FILE");
  command
      .add_option("--ranks-per-node", options.ranks_per_node, "Ranks on each node [as many as it has cores]")
      ->check(number_between(1, 1000000))
      ->type_name("N");
  command
      .add_option("--compute-scale", options.compute_scale,
                  "Factor on the time of computation, besides that of the machine [1]")
      ->check(number_between(1e-6, 1e6))  // without any computation nothing is left to predict
      ->type_name("X");
  command
      .add_option("--balance", options.balance,
                  "Every rank with this call path spends their mean in it; may be repeated")
      ->type_name("CALLPATH");
  command
      .add_option(
          "--repair", options.repair,
          "A cause of waiting, as the report names it: late ranks lose what it takes them longer than "
          "those that wait. Shows what the report says that its repair saves; may be repeated")
      ->type_name("CALLPATH");
  command
      .add_option("--speedup", options.speedup,
                  "How many times faster a call path gets: solve=2; may be repeated")
      ->type_name("CALLPATH=X");
  command
      .add_option("--without", options.without,
                  "Threads never lose their processor to others (preemption), or never wait: for anything "
                  "(blocking), files, pipes and sockets (io), time (sleep), each other (threads) ...; may be "
                  "repeated: " +
                      absence_names(", "))
      ->type_name("WHAT");
  command
      .add_option(
          "--remove-waits", options.remove_waits,
          "No rank waits in this way (an id of `waitdiag patterns`, or all): the most that repair can "
          "bring; may be repeated")
      ->type_name("PATTERN");
  command
      .add_option("--sweep", options.sweep,
                  "Predict for several values of " + sweep_parameters() +
                      "; of another level than the outermost: latency@core=1us..10us/5")
      ->type_name("WHAT=A..B/N");
}

void add_node_options(CLI::App& command, NodeOptions& options) {
  command
      .add_option(
          "--unit-times", options.unit_times,
          "Each visit of a call path takes as long as in this file: --write-unit-times made it of a run "
          "of the program on the other machine. Corrects for loaded nodes")
      ->type_name("FILE.toml");
  command
      .add_option("--write-unit-times", options.write_unit_times,
                  "Write how long one visit of each call path takes in this run, as on unloaded nodes; -: "
                  "standard output")
      ->type_name("FILE.toml");
  command.add_flag("--unloaded", options.unloaded,
                   "Computation as if every rank had had a whole core, where others wanted it, too");
  command.add_flag("--as-recorded", options.as_recorded,
                   "Do not correct for loaded nodes in --unit-times and --write-unit-times");
}

void add_rescale_options(CLI::App& command, RescaleOptions& options) {
  command
      .add_option("--ranks", options.ranks,
                  "Number of ranks to predict for, from runs with several smaller numbers")
      ->check(number_between(1, 1 << 20))
      ->type_name("N");
  command
      .add_option("--problem", options.problem,
                  "Predict for another problem, from runs that carry their size (WAITPROF_PROBLEM=n=256 when "
                  "they are "
                  "recorded, or --run)")
      ->type_name("NAME=X");
  command.add_option("--run", options.runs, "A run and its problem's size: n=256:DIR; may be repeated")
      ->type_name("NAME=X:DIR");
  command
      .add_option("--grid", options.grid,
                  "The program's grid of these ranks, where the runs do not tell: 8x8x4")
      ->type_name("AxB...");
  command.add_flag(
      "--all-iterations", options.all_iterations,
      "Replay every iteration, even if a few tell how long the others take; so do --write, --alt, "
      "--html, --repair and --remove-waits");
}

}  // namespace waitdiag::tool
