// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/launched_rank.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace waitdiag::tool {
namespace {

using Variables = std::initializer_list<std::pair<const char*, const char*>>;

// As many as fit into an exit status.
int cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::min(CPU_COUNT(&set), 0xff) : 0;
}

void bind_to_one_core() {
  cpu_set_t set;
  ::sched_getaffinity(0, sizeof set, &set);
  int core = 0;
  while (!CPU_ISSET(core, &set)) ++core;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

// How many it has in the end. In a process of its own, since nothing takes a binding back.
int cores_of_bound_rank(const Variables& variables) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"})
      ::unsetenv(name);
    for (const auto& [name, value] : variables) ::setenv(name, value, 1);
    bind_to_one_core();
    take_cores_of_ranks_here();
    ::_exit(cores());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST(LaunchedRankTest, HasTheCoresOfAllRanksOnItsMachine) {
  if (cores() < 2) GTEST_SKIP() << "a single core";
  EXPECT_EQ(cores_of_bound_rank({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}), 2);
  EXPECT_EQ(cores_of_bound_rank({{"PMI_RANK", "0"}, {"MPI_LOCALNRANKS", "2"}}), 2);
  EXPECT_EQ(cores_of_bound_rank({{"SLURM_PROCID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "2(x3)"}}), 2);
}

TEST(LaunchedRankTest, HasNoMoreThanThereAre) {
  EXPECT_EQ(cores_of_bound_rank({{"PMI_RANK", "0"}, {"MPI_LOCALNRANKS", "1000000"}}), cores());
}

TEST(LaunchedRankTest, KeepsItsOwnWhereNoOtherRankIs) {
  EXPECT_EQ(cores_of_bound_rank({}), 1);
  EXPECT_EQ(cores_of_bound_rank({{"PMI_RANK", "0"}, {"MPI_LOCALNRANKS", "1"}}), 1);
  EXPECT_EQ(cores_of_bound_rank({{"PMI_RANK", "0"}, {"MPI_LOCALNRANKS", "?"}}), 1);
}

}  // namespace
}  // namespace waitdiag::tool
