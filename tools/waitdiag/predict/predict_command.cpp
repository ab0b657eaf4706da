// waitdiag predict: a recorded run on another machine, with other computation, or of another size.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/common_options.hpp"
#include "tools/waitdiag/predict/predict_run.hpp"

namespace waitdiag::tool {

void add_predict_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* command =
      app.add_subcommand("predict", "Say how long a run would take on another machine, or with more ranks");
  command->footer(
      "A machine is measured by `mpirun -n N waitdiag-calibrate -o machine.toml`, on at least two of "
      "its "
      "nodes.\n"
      "Example: waitdiag predict waitprof-solver-64p-20261120-1432 --machine gigabit-multicore --map cyclic");
  command
      ->add_option(
          "DIR", options->runs,
          "Archive directory, its anchor file (*.otf2), or a *.case or *.trace text file; several with "
          "different numbers of ranks for --ranks")
      ->type_name("");
  command->add_flag("--text", options->as_text,
                    "Read DIR as a text file in the notation that `export --notation` prints");
  command->add_flag("--partial", options->partial,
                    "Read what is left of a damaged archive; figures may be wrong");
  add_rescale_options(*command, options->rescale);
  add_scenario_options(*command, options->scenario);
  add_node_options(*command, options->node);
  add_json_option(*command, options->json, "the prediction", "prediction");
  command
      ->add_option("--write", options->write,
                   "Write the predicted run as an OTF2 archive, for `report` and others")
      ->check(directory_to_write())
      ->type_name("DIR");
  command
      ->add_option(
          "--alt", options->alt,
          "Write what the predicted run consists of, its critical path marked, as a graph: JSON (schema "
          "waitdiag.logic-tree/1) or for Graphviz, by the name's end")
      ->type_name("FILE.json|FILE.dot");
  command
      ->add_option("--write-machine", options->write_machine,
                   "Write the machine that was found in the runs, to look at, correct and name with "
                   "--machine; -: standard output")
      ->type_name("FILE.toml");
  add_html_option(*command, options->html, "the measured and the predicted run, what-ifs and sweeps");
  command->add_flag("--alt-full", options->alt_full, "With --alt: every iteration and rank by itself");
  add_text_options(*command, options->text);
  command->callback([options, &action] { action = [options] { return predict(*options); }; });
}

}  // namespace waitdiag::tool
