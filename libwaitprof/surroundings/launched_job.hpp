// What the launcher told this process in its environment: known before MPI is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

constexpr int kLongestJobName = 64;

struct LaunchedJob {
  long rank = -1, ranks = 0;
  bool one_machine = false;
  char name[kLongestJobName] = "";  // unique; the same on all ranks (if not on_all_machines, of this machine)
  bool on_all_machines = false;
  int pmi = -1;  // descriptor on which MPICH's launcher answers; -1: another launcher

  bool known() const noexcept { return name[0] != '\0' && rank >= 0 && rank < ranks; }
};

LaunchedJob launched_job() noexcept;

// "<job>.<step>-<port of its srun>": a job that is queued again has the numbers of its first try, which may have left
// files. False if Slurm did not start this process.
bool slurm_step_name(char (&name)[kLongestJobName]) noexcept;

}  // namespace waitprof
