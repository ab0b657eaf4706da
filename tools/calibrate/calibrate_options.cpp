// SPDX-License-Identifier: BSD-3-Clause
#include "tools/calibrate/calibrate_options.hpp"

#include <CLI/CLI.hpp>

namespace waitdiag::measuring {
namespace {

constexpr double kMostSeconds = 1e5;
constexpr int kMostRepetitions = 1'000'000;
constexpr std::uint64_t kLeastLargest = 1 << 16, kMostLargest = 1 << 28;

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Options options;
  CLI::App app(
      "Measures what messages cost between the ranks it runs on, and writes a machine file for\n"
      "`waitdiag predict DIR --machine FILE`. Fill at least two nodes, each with as many ranks as later.",
      "mpirun -n RANKS waitdiag-calibrate");
  app.add_option("-o,--output", options.output, "The machine file [machine.toml]")->type_name("FILE");
  app.add_option("--seconds", options.seconds,
                 "Time for all measurements, about; fewer repetitions if there is not enough [20]")
      ->check(CLI::Range(0.0, kMostSeconds))
      ->type_name("S");
  app.add_option("--repetitions", options.repetitions, "Of a measurement, at most [200]")
      ->check(CLI::Range(1, kMostRepetitions))
      ->type_name("N");
  app.add_option("--largest", options.largest_bytes, "Of a message, 65536 to 268435456 [4194304]")
      ->check(CLI::Range(kLeastLargest, kMostLargest))
      ->type_name("BYTES");
  app.add_flag("-q,--quiet", options.quiet, "Print nothing but errors");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    options.help = app.help();
  } catch (const CLI::ParseError& error) {
    options.complaint = std::string(error.what()) + "; --help lists the options";
  }
  return options;
}

}  // namespace waitdiag::measuring
