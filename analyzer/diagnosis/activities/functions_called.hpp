// Which function to repair: not one that only waits or computes for its caller, if that caller does nothing else.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <vector>

#include "analyzer/diagnosis/activities/profile.hpp"

namespace waitdiag {

class FunctionsCalled {
 public:
  // Both must outlive this.
  FunctionsCalled(const Trace& trace, const Profile& profile);

  CallPathId caller(CallPathId path) const { return trace_.call_paths()[index(path)].parent; }
  RegionId function(CallPathId path) const { return trace_.call_paths()[index(path)].region; }

  // Of functions that do nothing but call the next one, the outermost: it is what callers ask for. Not one that calls
  // itself.
  CallPathId asked_for(CallPathId path) const;
  // What ranks spend in a function, by call path that leads to it.
  std::map<CallPathId, std::vector<double>> times_in(RegionId function) const;

 private:
  bool only_calls(CallPathId path, CallPathId called) const;

  const Trace& trace_;
  const Profile& profile_;
  std::vector<double> inclusive_;  // by call path
};

}  // namespace waitdiag
