// The runs of one night for `waitdiag check`: read, or recorded now.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/nightly/check/settings.hpp"
#include "analyzer/nightly/check/store.hpp"
#include "tools/waitdiag/launching/recorder_options.hpp"

namespace waitdiag::tool {

struct NightOptions {
  std::vector<std::string> sources;      // archives or kept reports; empty: record
  std::vector<std::string> launch_line;  // to record
  std::string case_name;                 // empty: the program's name
  std::size_t runs = 1;                  // to record
  std::string keep;                      // directory for the recordings; empty: they are removed
  std::string time, commit;              // empty: now, and what the environment of a CI job says
  std::map<std::string, std::string> labels{};
  RecorderOptions recorder{};
  bool quiet = false;
};

struct Night {
  std::string case_name, time, commit;
  std::vector<StoredRun> runs{};
  std::string failure{};  // how the program failed; empty: it did not
};

// Throws UsageError if runs of different kinds are given for one night, CannotStart, and std::runtime_error
// if a run cannot be read or left no recording.
Night gather_night(const NightOptions& options);

// The text of ./waitdiag.toml or of `file`; sets `file` to the name. Empty if neither exists; throws
// UsageError for a named file that cannot be read.
std::string settings_text(std::string& file);

}  // namespace waitdiag::tool
