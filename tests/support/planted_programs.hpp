// Random MPI programs in which one cause of waiting is planted: a function that takes longer on some ranks.
// The truth about it follows from running the program again without it.
//
//   Spmd             all ranks do the same in phases, with all kinds of communication between
//   Overlap          all compute between the begin of an exchange and its end
//   Trees            rooted operations along trees; who is late may be an inner node
//   Callers          one leaf function called by guilty and innocent functions
//   RareSteps        now and then a step is slow, on one rank or on each in turn
//   Groups           two groups of ranks that meet through their leaders; one group is slow
//   DifferentWork    half of the ranks run one function, half another; one rank of a half is slow
//   MasterAndWorkers rank 0 hands out work and waits for all of it; one worker is slow
//   TaskQueue        rank 0 prepares tasks, which takes long, and hands them to whoever is free
//   Token            ranks write one after the other; one takes longer
//   Pipeline         sweeps through a row of ranks; one takes longer
//   EventLoop        rank 0 tests for results, with pauses, and then broadcasts; one rank is slow
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waitdiag::test {

struct PlantedTruth {
  std::string call_path;
  std::vector<int> ranks;  // none: it takes as long on all
  double share = 0;        // of the waiting that is its fault
  double runtime_s = 0;    // without it
  double seconds = 0;      // with it
  double waited_s = 0;     // with it
  bool alone = true;       // nothing else makes ranks wait for long: ranks and share are determined
};

struct PlantedProgram {
  PlantedTruth truth;
  std::string text;  // the trace
};

constexpr std::string_view kPlantedShapes[] = {
    "Spmd",          "Overlap",          "Trees",     "Callers", "RareSteps", "Groups",
    "DifferentWork", "MasterAndWorkers", "TaskQueue", "Token",   "Pipeline",  "EventLoop",
};

// The same seed makes the same program, whether it is sampled or not.
PlantedProgram planted_program(std::string_view shape, std::uint64_t seed, bool sampled);

}  // namespace waitdiag::test
