// waitdiag balance: what uneven loads cost, before a run or after it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/balance/balance_sources.hpp"
#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/figure_page.hpp"
#include "tools/waitdiag/command_line/text_output.hpp"

namespace waitdiag::tool {
namespace {

struct BalanceCommand {
  BalanceOptions balance;
  std::string json, html;
  TextOutput text;
};

void add_map_options(CLI::App& command, BalanceOptions& options) {
  constexpr std::uint32_t kMostRanks = 1u << 20;
  command
      .add_option("--decomposition", options.distributions,
                  "The source is a map: one row of loads per line, or of ~ (water) and . (land). Divide it "
                  "so; may be "
                  "repeated, the first is what the others are compared with")
      ->type_name("cartesian|block-cyclic|balanced")
      ->take_all()
      ->expected(1);
  command.add_option("--ranks", options.ranks, "Among so many ranks; several are separated by commas")
      ->delimiter(',')
      ->check(number_between<std::uint32_t>(1, kMostRanks))
      ->type_name("N,...");
  command
      .add_option("--grid", options.grid, "Ranks in a row, and rows of them [as the map's shape suggests]")
      ->type_name("AxB");
  command
      .add_option("--block", options.block,
                  "Cells of a block of block-cyclic and balanced [about 16 for a rank]")
      ->type_name("AxB");
}

void add_domain_options(CLI::App& command, BalanceOptions& options) {
  constexpr double kMost = 1e9;
  command.add_option("--cells", options.cells, "Cells of the program's grid [those of the map]")
      ->type_name("AxB");
  command.add_option("--halo", options.halo, "Cells a rank computes beyond each edge of its part [1]")
      ->check(number_between(0.0, kMost))
      ->type_name("CELLS");
  command.add_option("--stencil", options.stencil, "Operations for each cell [5]")
      ->check(number_between(1e-9, kMost))
      ->type_name("N");
  command.add_option("--bandwidth", options.bandwidth, "Of the processor, with --clock and --pipelines")
      ->check(number_between(1e-9, kMost))
      ->type_name("GB/s");
  command.add_option("--clock", options.clock, "Its clock")
      ->check(number_between(1e-9, kMost))
      ->type_name("GHz");
  command.add_option("--pipelines", options.pipelines, "Operations it begins with each tick")
      ->check(number_between(1e-9, kMost))
      ->type_name("N");
  command
      .add_option("--communication", options.communication,
                  "Communication by computation, instead of the above [of a recorded run: its own]")
      ->check(number_between(0.0, kMost))
      ->type_name("RATIO");
}

int balance(const BalanceCommand& command) {
  BalanceOptions options = command.balance;
  options.quiet = command.text.quiet;
  options.picture = !command.html.empty();
  need_pages(command.html);
  const bool stdout_taken = takes_stdout({{"--json", command.json}, {"--html", command.html}});
  const BalanceReport report = balance_report(options);
  if (!command.json.empty())
    write_output_file(command.json, [&](std::ostream& out) { write_balance_json(report, out); });
  const auto text = [&](const TextStyle& style, std::ostream& out) {
    write_balance_text(report, {.style = style, .top = command.text.top}, out);
  };
  write_figure_page(
      command.html,
      {.kind = "balance",
       .title = "Load balance of " + report.source,
       .parts = {{"balance", text_of([&](std::ostream& out) { write_balance_json(report, out); })}},
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
                       "Of a recorded run: computation time, or executions of instrumented functions [time]");
  add_map_options(*command, options->balance);
  add_domain_options(*command, options->balance);
  command
      ->add_option("--table", options->balance.table,
                   "Print the published table this model was validated with")
      ->type_name("pop");
  command
      ->add_option("--json", options->json,
                   "Write all figures as JSON (schema waitdiag.balance/1); - is stdout, then alone")
      ->type_name("FILE");
  add_html_option(*command, options->html, "loads and who has what");
  add_text_options(*command, options->text, "Print no text and no progress; write only the files asked for");
  command->callback([options, &action] { action = [options] { return balance(*options); }; });
}

}  // namespace waitdiag::tool
