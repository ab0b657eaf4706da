// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/launched_rank.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tools/waitdiag/command_line/environment.hpp"

namespace waitdiag::tool {
namespace {

// Of MPICH, PMIx, Open MPI and Slurm.
constexpr std::array<const char*, 4> kRankVariables{"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                                    "SLURM_PROCID"};

// Ranks on this machine: of Open MPI, MPICH and Slurm, which says "4(x2)" of two nodes with four each.
constexpr std::array<const char*, 3> kRanksHereVariables{"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                                         "SLURM_STEP_TASKS_PER_NODE"};

bool is_rank(const std::string& setting) {
  return std::ranges::any_of(
      kRankVariables, [&](const char* variable) { return setting.starts_with(std::string(variable) + "="); });
}

template <typename IsIt>
bool has_setting(pid_t process, const IsIt& is_it) {
  std::ifstream settings("/proc/" + std::to_string(process) + "/environ");
  for (std::string setting; std::getline(settings, setting, '\0');)
    if (is_it(setting)) return true;
  return false;
}

// Launchers are none; of one that cannot be read, as Slurm's, nothing is known.
bool parent_is_rank() {
  return has_setting(::getppid(), is_rank);
}

// Of the same launcher, on this machine; 0: none.
pid_t process_of_rank_0() {
  const std::string launcher = std::to_string(::getppid());
  std::ifstream ranks("/proc/" + launcher + "/task/" + launcher + "/children");
  for (pid_t rank = 0; ranks >> rank;)
    if (has_setting(rank,
                    [](const std::string& setting) { return is_rank(setting) && setting.ends_with("=0"); }))
      return rank;
  return 0;
}

long ranks_here() {
  for (const char* variable : kRanksHereVariables)
    if (const std::string ranks = environment(variable); !ranks.empty())
      return std::strtol(ranks.c_str(), nullptr, 10);
  return 1;
}

// As many as that, from its own on.
cpu_set_t cores_from(const cpu_set_t& own, const cpu_set_t& all, long count) {
  cpu_set_t chosen = own;
  int first = 0;
  while (first < CPU_SETSIZE && !CPU_ISSET(first, &own)) ++first;
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&chosen) < count; ++i)
    if (const int core = (first + i) % CPU_SETSIZE; CPU_ISSET(core, &all)) CPU_SET(core, &chosen);
  return chosen;
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

void wait_for_rank_0_here() {
  const pid_t rank_0 = process_of_rank_0();
  const int ends = rank_0 > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, rank_0, 0)) : -1;
  if (ends < 0) return;
  pollfd end{.fd = ends, .events = POLLIN, .revents = 0};
  ::poll(&end, 1, -1);
  ::close(ends);
}

void take_cores_of_ranks_here() {
  const long ranks = ranks_here();
  cpu_set_t own, all;
  if (ranks < 2 || parent_is_rank() || ::sched_getaffinity(0, sizeof own, &own) != 0) return;
  CPU_ZERO(&all);
  for (int core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &all);  // the system keeps what is allowed
  if (::sched_setaffinity(0, sizeof all, &all) != 0 || ::sched_getaffinity(0, sizeof all, &all) != 0) return;
  const cpu_set_t chosen = cores_from(own, all, std::min<long>(ranks, CPU_SETSIZE) * CPU_COUNT(&own));
  ::sched_setaffinity(0, sizeof chosen, &chosen);
}

}  // namespace waitdiag::tool
