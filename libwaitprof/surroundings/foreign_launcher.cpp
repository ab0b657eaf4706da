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
  const char* other;  // what starts programs of the other MPI
};

constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's launcher", "mpiexec.mpich"},
    {"PMI_SIZE", "PMI_RANK", "a launcher", "mpirun.openmpi"},
};

}  // namespace

void warn_of_foreign_launcher(int ranks) noexcept {
  if (ranks != 1) {
    return;
  }
  for (const Launcher& launcher : kLaunchers) {
    const char* const size = std::getenv(launcher.size);
    if (size == nullptr || std::atoi(size) <= 1) {
      continue;
    }
    const char* const rank = std::getenv(launcher.rank);
    if (rank != nullptr && std::strcmp(rank, "0") == 0) {
      say("%s started %s processes, but each is a job of one rank: this program is linked with another MPI, "
          "whose launcher (%s) has to start it.",
          launcher.name, size, launcher.other);
    }
    return;
  }
}

}  // namespace waitprof
