// A function that is late wherever it is called: its call paths are one cause, and its repair mends all of them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/results/fields.hpp"

namespace waitdiag {

struct Everywhere {
  std::string function{};                 // as it is to be repaired; the causes may lie in what only it calls
  std::vector<std::string> call_paths{};  // of the causes
  std::vector<std::string> callers{};     // functions that tell them apart
  double share_of_waiting = 0;
  double runtime_s = 0;  // of the run without all of them
};

void fields(auto& visit, Of<Everywhere> auto& all) {
  visit("function", all.function, "as it is to be repaired");
  visit("call_paths", all.call_paths, "of the causes in it");
  visit("callers", all.callers, "functions that tell these apart");
  visit("share_of_waiting", all.share_of_waiting);
  visit("runtime_s", all.runtime_s, "of the run without all of them", kSigned);
}

}  // namespace waitdiag
