// How far off a prediction may be, from the known errors.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/results/rescaling.hpp"

namespace waitdiag {

// Logarithms of the errors of held-out runs, by size, the largest last. A run that was predicted on a machine without all
// levels says nothing about one that has them; nor does a run that was predicted from two runs, which any law fits, say
// anything about laws that were chosen from more runs.
std::vector<double> held_out_errors(const RescalingReport& report);
// Root of the mean of the squares.
double typical_of(const std::vector<double>& errors);

// What messages cost of this share of the run time adds to the expected error.
bool may_matter(const RescalingReport& report, double communication, double more_sharing);

// As logarithms. `steps`: how much farther the target is from the largest run than that from the one before
// it; `communication`: share of the predicted run time that changes with what messages cost.
//
// The sum of
// * held-out sizes, which tell the error of the program's laws: each step of the size adds the error of the last one, or the
//   typical one if that was larger; or errors go on growing as they did between the last two, whichever is more. Less where
//   runs between others are predicted well from these: then the largest run tells the laws, and holding it out took that
//   away;
// * replays of the recorded runs: the largest error, and a quarter more, one percent at least; the more, the larger the share of
//   its time that the predicted run spends in MPI calls (`in_calls`), and the faster errors grow, relative to that share;
// * what messages cost, on a machine that was found in the runs; and how more ranks share the network than in any run: by how
//   many doublings (shared_ports.hpp);
// * what the runs leave open about the machine, such as sizes that they do not have: two standard deviations, to either side.
//   Where computation hides in all runs what messages cost, they may cost as much as it can hide, if that is more; nodes may
//   share a port that is just wide enough for the recorded runs, if that is more.
RescalingReport::Deviation expected_error(const RescalingReport& report, double steps, double communication,
                                          double more_sharing = 0, double in_calls = 0);

}  // namespace waitdiag
