// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/foreign_launcher.hpp"

#include <cstdlib>
#include <cstring>

#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {
namespace {

struct Launcher {
  const char* size;  // variables that it sets for the processes of a job
  const char* rank;
  const char* name;
  const char* repair;
};

constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's launcher",
     "this program is linked with another MPI, whose launcher (mpiexec.mpich) has to start it"},
    {"PMI_SIZE", "PMI_RANK", "a launcher",
     "this program is linked with another MPI, whose launcher (mpirun.openmpi) has to start it"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun",
     "it has to be told what this program's MPI understands, mostly srun --mpi=pmi2 for MPICH and its "
     "relatives, "
     "srun --mpi=pmix for Open MPI"},
};

}  // namespace

// The innermost launcher decides: those of MPI libraries may have been started by srun themselves.
void warn_of_foreign_launcher(int ranks) noexcept {
  if (ranks != 1) {
    return;
  }
  for (const Launcher& launcher : kLaunchers) {
    const char* const size = std::getenv(launcher.size);
    if (size == nullptr) {
      continue;
    }
    const char* const rank = std::getenv(launcher.rank);
    if (std::atoi(size) > 1 && rank != nullptr && std::strcmp(rank, "0") == 0) {
      say("%s started %s processes, but each is a job of one rank: %s.", launcher.name, size,
          launcher.repair);
    }
    return;
  }
}

}  // namespace waitprof
