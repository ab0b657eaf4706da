// The critical path of each part of a run.
//
// `ideal`: how long the part takes on an ideal network, where calls take no time of their own: every process
// begins the part at the measured time, and the longest of them counts. So the part is never shorter than
// what a process computes in it, and never longer than it was. If the part is the whole run, this is the run
// re-timed on an ideal network (what_if.hpp).
//
// `on_path`: how much of the measured critical path lies in the part; time on another thread counts for the
// part in which the main thread of its process is at that time. If parts make up the whole run, their
// `on_path` makes up the whole path.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/retiming/critical_path.hpp"

namespace waitdiag {

struct PartStretch {
  std::uint32_t part = 0;
  Time begin{}, end{};  // between calls
};

// By location, in time order, without overlap. Time outside all stretches, and other threads, stay as
// measured.
using PartStretches = std::vector<std::vector<PartStretch>>;

// Different ways to divide the run. Parts are numbered; none is in two of them.
struct DividedRun {
  std::vector<PartStretches> divisions;
  std::uint32_t parts = 0;
};

struct PartTimes {
  std::vector<Duration> ideal, on_path;  // by part
};

PartTimes part_times(const Trace& trace, const Dependencies& dependencies, const CriticalPath& path,
                     const DividedRun& run);

}  // namespace waitdiag
