// SPDX-License-Identifier: BSD-3-Clause
#include "tools/calibrate/calibrate_options.hpp"

#include <charconv>
#include <string_view>

namespace waitdiag::measuring {
namespace {

constexpr double kMostRepetitions = 1e6, kMostSeconds = 1e5;
constexpr double kLeastLargest = 1 << 16, kMostLargest = 1 << 28;

// The number in `text`, if it is one from `least` to `most`.
bool read(std::string_view text, double least, double most, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most;
}

}  // namespace

const char* help_text() {
  return "Usage: mpirun -n RANKS waitdiag-calibrate [options]\n"
         "\n"
         "Measures what messages cost between the ranks it runs on, and writes a machine file for\n"
         "`waitdiag predict DIR --machine FILE`. Fill at least two nodes, each with as many ranks as later.\n"
         "\n"
         "  -o, --output FILE    the machine file [machine.toml]\n"
         "  --seconds S          time for all measurements, about; fewer repetitions if there is not enough "
         "[20]\n"
         "  --repetitions N      of a measurement, at most [200]\n"
         "  --largest BYTES      of a message, 65536 to 268435456 [4194304]\n"
         "  -q, --quiet          print nothing but errors\n"
         "  -h, --help           print this\n";
}

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc && options.complaint.empty(); ++i) {
    const std::string_view name = argv[i];
    double number = 0;
    const auto value = [&](double least, double most) {
      if (i + 1 < argc && read(argv[++i], least, most, number)) return true;
      options.complaint = std::string(name) + " needs a number from " +
                          std::to_string(static_cast<long>(least)) + " to " +
                          std::to_string(static_cast<long>(most));
      return false;
    };
    if (name == "-h" || name == "--help") {
      options.help = true;
    } else if (name == "-q" || name == "--quiet") {
      options.quiet = true;
    } else if (name == "-o" || name == "--output") {
      if (i + 1 < argc)
        options.output = argv[++i];
      else
        options.complaint = std::string(name) + " needs the name of a file";
    } else if (name == "--seconds") {
      if (value(0, kMostSeconds)) options.seconds = number;
    } else if (name == "--repetitions") {
      if (value(1, kMostRepetitions)) options.repetitions = static_cast<int>(number);
    } else if (name == "--largest") {
      if (value(kLeastLargest, kMostLargest)) options.largest_bytes = static_cast<std::uint64_t>(number);
    } else {
      options.complaint = "unknown option " + std::string(name) + "; --help lists those that there are";
    }
  }
  return options;
}

}  // namespace waitdiag::measuring
