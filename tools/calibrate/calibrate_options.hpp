// The command line of waitdiag-calibrate.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace waitdiag::measuring {

struct Options {
  std::string output = "machine.toml";
  int repetitions = 200;
  double seconds = 20;
  std::uint64_t largest_bytes = 4 << 20;
  bool quiet = false;
  std::string help{};       // not empty: print this and do nothing else
  std::string complaint{};  // not empty: what is wrong, and what to do
};

Options parse_options(int argc, const char* const* argv);

}  // namespace waitdiag::measuring
