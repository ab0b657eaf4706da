// Judges a night's runs: the options of `waitdiag check`, and its action.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "analyzer/nightly/check/check.hpp"
#include "tools/waitdiag/check/check_night.hpp"
#include "tools/waitdiag/output/text_output.hpp"

namespace waitdiag::tool {

struct CheckOptions {
  NightOptions night;
  std::string baseline, settings_file;
  std::vector<std::string> accept, labels;  // METRIC and reason in turn; NAME=VALUE
  bool update = false, warn_only = false, strict = false, self_test = false;
  std::size_t runs = 0;
  std::string json, junit, markdown, openmetrics, csv, page;  // files to write; "-" is stdout
  TextOutput text;
};

using CheckWriter = void (*)(const CheckResult&, std::ostream&);
struct CheckOutput {
  const char* option;
  std::string CheckOptions::*file;
  CheckWriter write;
  const char* help;
};

// All that can be written, by option.
const std::vector<CheckOutput>& check_outputs();

// Returns the exit status. Throws UsageError, CannotStart and std::runtime_error.
int check_night(CheckOptions options);

}  // namespace waitdiag::tool
