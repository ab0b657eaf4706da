// What the launcher told this process in its environment: known before MPI is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

struct LaunchedJob {
  long rank = -1, ranks = 0;
  bool one_machine = false;
  char name[64] = "";  // the same for all ranks, on this machine if not on_all_machines; no other job has it
  bool on_all_machines = false;
  int pmi = -1;  // descriptor on which MPICH's launcher answers; -1: it is another launcher

  bool known() const noexcept { return name[0] != '\0' && rank >= 0 && rank < ranks; }
};

LaunchedJob launched_job() noexcept;

}  // namespace waitprof
