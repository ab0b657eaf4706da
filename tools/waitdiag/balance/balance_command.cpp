// waitdiag balance: what uneven loads cost, before a run or after it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/balance/balance_options.hpp"
#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/common_options.hpp"
#include "tools/waitdiag/command_line/terminal.hpp"
#include "tools/waitdiag/output/figure_page.hpp"
#include "tools/waitdiag/output/output_file.hpp"
#include "tools/waitdiag/output/text_output.hpp"

namespace waitdiag::tool {
namespace {

struct BalanceCommand {
  BalanceOptions balance;
  std::string json, html;
  TextOutput text;
};

int balance(const BalanceCommand& command) {
  BalanceOptions options = command.balance;
  options.quiet = command.text.quiet;
  options.picture = !command.html.empty();
  need_pages(command.html);
  const bool stdout_taken = takes_stdout({{"--json", command.json}, {"--html", command.html}});
  const BalanceReport report = balance_report(options);
  if (!command.json.empty())
    write_output_file(command.json, [&](std::ostream& out) { write_json(report, out); });
  const auto text = [&](const TextStyle& style, std::ostream& out) {
    write_balance_text(report, {.style = style, .top = command.text.top}, out);
  };
  write_figure_page(command.html,
                    {.kind = "balance",
                     .title = "Load balance of " + report.source,
                     .parts = {{"balance", text_of([&](std::ostream& out) { write_json(report, out); })}},
                     .text = [&](std::ostream& out) { text({.utf8 = true}, out); }});
  if (!stdout_taken && !command.text.quiet) text(text_style(STDOUT_FILENO, command.text.color), std::cout);
  return kSuccess;
}

}  // namespace

void add_balance_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<BalanceCommand>();
  CLI::App* command =
      app.add_subcommand("balance", "Say what uneven loads cost, and what a better balance brings");
  command->footer(
      "Example: waitdiag balance ocean.map --ranks 64,128 --decomposition cartesian --decomposition "
      "balanced");
  command
      ->add_option(
          "SOURCE", options->balance.sources,
          "A recorded run, a file with one load per rank, or a map of loads; or two, before and after")
      ->type_name("");
  command
      ->add_option("--call-path", options->balance.call_path,
                   "Of a recorded run: only what runs in this call path")
      ->type_name("CALLPATH");
  add_choice<LoadKind>(*command, "--loads", options->balance.kind,
                       {{"time", LoadKind::Computation}, {"visits", LoadKind::Visits}},
                       "Of a recorded run: computation time, or visits of instrumented functions [time]");
  add_map_options(*command, options->balance);
  add_domain_options(*command, options->balance);
  command
      ->add_option("--table", options->balance.table,
                   "Print the published table this model was validated with")
      ->type_name("pop")
      ->group(kPublications);
  add_json_option(*command, options->json, "all figures", "balance");
  add_html_option(*command, options->html, "loads and who has what");
  add_text_options(*command, options->text);
  command->callback([options, &action] { action = [options] { return balance(*options); }; });
}

}  // namespace waitdiag::tool
