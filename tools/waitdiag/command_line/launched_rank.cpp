// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/launched_rank.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

#include "tools/waitdiag/command_line/environment.hpp"

namespace waitdiag::tool {
namespace {

// Of MPICH, PMIx, Open MPI and Slurm.
constexpr std::array<const char*, 4> kRankVariables{"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                                    "SLURM_PROCID"};

bool is_rank(const std::string& setting) {
  return std::ranges::any_of(
      kRankVariables, [&](const char* variable) { return setting.starts_with(std::string(variable) + "="); });
}

// Launchers are none; of one that cannot be read, as Slurm's, nothing is known.
bool parent_is_rank() {
  std::ifstream settings("/proc/" + std::to_string(::getppid()) + "/environ");
  for (std::string setting; std::getline(settings, setting, '\0');)
    if (is_rank(setting)) return true;
  return false;
}

}  // namespace

bool speaks_for_all_ranks() {
  for (const char* variable : kRankVariables)
    if (const std::string rank = environment(variable); !rank.empty()) return rank == "0";
  return true;
}

bool repeats_rank_0() {
  return !speaks_for_all_ranks() && !parent_is_rank();
}

}  // namespace waitdiag::tool
