// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <ostream>

#include "analyzer/simulation/machine/unit_times.hpp"

namespace waitdiag {
namespace {

// A basic string of TOML.
std::string toml_string(const std::string& text) {
  constexpr unsigned char kFirstPrintable = 0x20, kDelete = 0x7f;
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < kFirstPrintable || byte == kDelete) {
      quoted += fmt::format("\\u{:04x}", byte);
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

void write_unit_times(const UnitTimes& times, std::ostream& out) {
  out << "# What one visit of each call path takes (or, of sampled code, one stretch between two MPI "
         "calls),\n"
         "# without what it calls and without MPI calls. `waitdiag predict DIR --unit-times` reads it.\n";
  out << "program = " << toml_string(times.program) << "\nmachine = " << toml_string(times.machine)
      << fmt::format("\nranks = {}\nutilisation = {:.4f}  # of a core, while computing\nas_recorded = {}{}\n",
                     times.ranks, times.utilisation, times.as_recorded,
                     times.as_recorded ? "" : "  # false: times are those of a whole core");
  for (const UnitTimes::CallPath& unit : times.call_paths) {
    const bool sampled = unit.unit == UnitTimes::Unit::Stretch;
    out << "\n[[unit]]\ncall_path = " << toml_string(unit.name)
        << fmt::format("\nseconds = {}\ncount = {}\ncounted = \"{}\"\n", unit.seconds, unit.count,
                       sampled ? "stretches" : "executions");
    if (sampled) out << fmt::format("samples = {}\n", unit.samples);
    out << fmt::format("share = {:.6f}\n", unit.share);
  }
}

}  // namespace waitdiag
