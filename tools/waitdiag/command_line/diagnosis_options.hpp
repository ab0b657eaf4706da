// The options that choose rules and models: the same for `waitdiag report` and for the cases of the tests.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis_options.hpp"

namespace CLI {
class App;
}

namespace waitdiag::tool {

void add_diagnosis_options(CLI::App& command, DiagnosisOptions& options);

}  // namespace waitdiag::tool
