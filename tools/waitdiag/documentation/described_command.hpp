// What a command takes, as plain data: what manual pages and completions are made from.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace waitdiag::tool {

struct DescribedOption {
  std::vector<std::string> names;  // "-h", "--help"; the only name of a positional
  std::string values;              // "FILE", "auto|always|never"; "" for a flag
  std::string about;
  bool positional = false;
};

struct DescribedCommand {
  std::string name, about, example;
  std::vector<DescribedOption> options{};
  std::vector<DescribedCommand> commands{};
};

}  // namespace waitdiag::tool
