// waitdiag check: a night's runs against a store of earlier ones, with a verdict that a CI job can rely on.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/waitdiag/check/check_run.hpp"
#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/common_options.hpp"
#include "tools/waitdiag/command_line/help_format.hpp"
#include "tools/waitdiag/launching/recorder_options.hpp"

namespace waitdiag::tool {
namespace {

class CheckLineFormatter : public HelpFormat {
 public:
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: waitdiag check [OPTIONS] --baseline STORE DIR...\n"
           "       waitdiag check [OPTIONS] --baseline STORE --case NAME --runs N -- LAUNCH LINE\n";
  }
};

void add_choices(CLI::App& command, CheckOptions& options) {
  command
      .add_option("--accept", options.accept,
                  "Take tonight's level of METRIC (or `structure`) as wanted, for this reason")
      ->type_size(2)
      ->type_name("METRIC REASON");
  command.add_flag("--update-baseline", options.update, "Append the runs to the store");
  command.add_flag("--warn-only", options.warn_only,
                   "Exit with status 0 whatever the verdict; not if the program fails");
  command.add_flag("--strict", options.strict, "Exit with status 4 when the verdict is INCONCLUSIVE");
  command.add_flag("--self-test", options.self_test,
                   "Say how often this store and these settings raise a false alarm, and what they miss");
}

void add_sources(CLI::App& command, CheckOptions& options) {
  command.add_option("DIR", options.night.sources, "Archives of one night, or reports kept as JSON")
      ->type_name("");
  command.add_option("--baseline", options.baseline, "Directory of earlier runs, one file per case")
      ->check(directory_to_write())
      ->type_name("STORE");
  command.add_option("--case", options.night.case_name, "Name of what is checked [the program's]")
      ->type_name("NAME");
  command.add_option("--runs", options.runs, "Number of runs to record [5]")
      ->check(number_between(1, 1000))
      ->type_name("N");
  command.add_option("-o,--output", options.night.keep, "Keep the recordings in this directory")
      ->check(directory_to_write())
      ->type_name("DIR");
  command.add_option("--config", options.settings_file, "Settings [waitdiag.toml, if it is there]")
      ->type_name("FILE");
  command.add_option("--label", options.labels, "Compare only with runs of the same label")
      ->type_name("NAME=VALUE");
  command.add_option("--time", options.night.time, "When the runs were made [now]")->type_name("TIME");
  command
      .add_option("--commit", options.night.commit,
                  "What was built [CI_COMMIT_SHA, GITHUB_SHA or GIT_COMMIT]")
      ->type_name("ID");
}

}  // namespace

void add_check_command(CLI::App& app, Action& action, const std::vector<std::string>& launch_line) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Say whether tonight's runs are slower than earlier ones, and why");
  command->footer(
      "Exit status: 0 passed or improved; 1 regression or changed (or the program failed); 2 wrong command "
      "line or settings; 3 unreadable input; 4 inconclusive with --strict; 125 the program could not be "
      "started.\n"
      "Example: waitdiag check --case lid64 --runs 5 --baseline nightly --update-baseline -- mpirun -n 64 "
      "./solver");
  command->formatter(std::make_shared<CheckLineFormatter>());
  add_sources(*command, *options);
  add_choices(*command, *options);
  for (const CheckOutput& output : check_outputs())
    add_output_file(*command, output.option, (*options).*output.file, output.help);
  add_recorder_options(*command, options->night.recorder);
  add_color_option(*command, options->text.color);
  add_quiet_option(*command, options->text.quiet);
  command->callback([options, &launch_line, &action] {
    options->night.launch_line = launch_line;
    action = [options] { return check_night(*options); };
  });
}

}  // namespace waitdiag::tool
