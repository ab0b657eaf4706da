// The options of `waitdiag predict` that ask for a run of another size.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/predict.hpp"

namespace CLI {
class App;
}

namespace waitdiag::tool {

struct RescaleOptions {
  std::uint32_t ranks = 0;           // 0: as many as the runs have
  std::vector<std::string> problem;  // "n=1024"
  std::vector<std::string> runs;     // "n=256:DIR"
  std::string grid;                  // "8x8x4"
  bool all_iterations = false;
};

void add_rescale_options(CLI::App& command, RescaleOptions& options);

bool wants_another_size(const RescaleOptions& options);

// Throws UsageError for options that do not go together.
AnotherSize size_of(const RescaleOptions& options);

// An archive, and what the user said about its problem.
struct NamedRun {
  std::string path{};
  std::map<std::string, double> problem{};
};
std::vector<NamedRun> named_runs(const std::vector<std::string>& paths, const RescaleOptions& options);

}  // namespace waitdiag::tool
