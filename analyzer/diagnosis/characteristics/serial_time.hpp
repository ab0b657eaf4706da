// The stretches of a run in which at most one rank computes: the time that the others wait then is lost for
// want of parallelism.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

class SerialTime {
 public:
  explicit SerialTime(const Trace& trace);

  // How much of [begin, end) lies in such stretches.
  Duration between(Time begin, Time end) const { return before(end) - before(begin); }

 private:
  Duration before(Time time) const;

  std::vector<Time> begins_, ends_;
  std::vector<Duration> sums_;  // of the stretches before each
};

}  // namespace waitdiag
