// waitdiag compare: what changed between two runs, or two sets of runs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "analyzer/nightly/compare/compare.hpp"
#include "analyzer/results/rank_groups.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/markdown/markdown.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/common_options.hpp"
#include "tools/waitdiag/command_line/terminal.hpp"
#include "tools/waitdiag/compare/comparison_page.hpp"
#include "tools/waitdiag/output/figure_page.hpp"
#include "tools/waitdiag/output/output_file.hpp"
#include "tools/waitdiag/output/text_output.hpp"

namespace waitdiag::tool {
namespace {

struct CompareCommand {
  std::vector<std::string> runs, with;
  CompareOptions options;
  std::string json, markdown, page;
  bool fail = false, different_programs = false;
  TextOutput text;
};

int compare_runs(CompareCommand command) {
  if (command.with.empty()) {
    if (command.runs.size() != 2)
      throw UsageError(
          "say which two runs to compare: `waitdiag compare BEFORE AFTER`, or for several a side "
          "`waitdiag compare BEFORE... --with AFTER...`");
    command.with = {command.runs.back()};
    command.runs.pop_back();
  }
  const bool stdout_taken =
      takes_stdout({{"--json", command.json}, {"--markdown", command.markdown}, {"--html", command.page}});
  need_pages(command.page);
  const bool page = !command.page.empty();
  const ComparedSide before = read_side(command.runs, page, command.text.quiet),
                     after = read_side(command.with, page, command.text.quiet);
  if (const std::string both = different_programs(before.runs, after.runs);
      !both.empty() && !command.different_programs)
    throw UsageError(both + ": name runs of one program, or say --different-programs");
  const Comparison comparison = compare(before.runs, after.runs, command.options);
  if (!command.json.empty())
    write_output_file(command.json,
                      [&](std::ostream& out) { write_json(with_ranks_grouped(comparison), out); });
  if (!command.markdown.empty())
    write_output_file(command.markdown, [&](std::ostream& out) {
      write_comparison_markdown(comparison, command.text.top, out);
    });
  write_comparison_page(command.page, comparison, before, after);
  if (!stdout_taken && !command.text.quiet)
    write_comparison_text(comparison,
                          {.style = text_style(STDOUT_FILENO, command.text.color), .top = command.text.top},
                          std::cout);
  return command.fail && comparison.outcome == Comparison::Outcome::Slower ? kSlower : kSuccess;
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<CompareCommand>();
  CLI::App* command = app.add_subcommand("compare", "Say what changed between two runs, and who caused it");
  command->footer(
      "Example: waitdiag compare waitprof-solver-64p-20261119-1432 waitprof-solver-64p-20261120-1432");
  command
      ->add_option("RUN", options->runs,
                   "Two archives, before and after, or reports kept by `waitdiag report --json FILE`")
      ->required()
      ->type_name("");
  command
      ->add_option("--with", options->with,
                   "With several runs a side: the runs after; those before stand in front")
      ->type_name("RUN...");
  command
      ->add_option("--threshold", options->options.threshold,
                   "A smaller part of the run time is no difference [0.03]")
      ->check(number_between(0.0, 1e6))
      ->type_name("SHARE");
  command
      ->add_option("--p", options->options.p,
                   "With several runs a side: how often chance may pass for a difference [0.05]")
      ->check(number_between(1e-9, 1.0))
      ->type_name("P");
  add_json_option(*command, options->json, "the comparison", "comparison");
  add_markdown_option(*command, options->markdown);
  add_html_option(*command, options->page, "both runs, step by step, and what changed");
  command->add_flag("--different-programs", options->different_programs,
                    "Compare runs of different programs, for instance of one that was renamed");
  command->add_flag("--fail-if-slower", options->fail, "Exit with status 1 when the later run is slower");
  add_text_options(*command, options->text);
  command->callback([options, &action] { action = [options] { return compare_runs(*options); }; });
}

}  // namespace waitdiag::tool
