// waitdiag-calibrate, as users start it: executes waitdiag-calibrate-mpich or -openmpi, whichever fits the
// launcher that started it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace {

namespace fs = std::filesystem;

constexpr int kNotStarted = 125;

struct Mpi {
  const char* program;
  const char* name;
  std::array<const char*, 2> ranks;  // variables of its launchers; Slurm's PMI-2 is like MPICH's
};
constexpr std::array<Mpi, 2> kMpis{
    {{"waitdiag-calibrate-openmpi", "Open MPI", {"OMPI_COMM_WORLD_RANK", "PMIX_RANK"}},
     {"waitdiag-calibrate-mpich", "MPICH", {"PMI_RANK", "PMI_ID"}}}};

const char* rank_under_launcher_of(const Mpi& mpi) {
  for (const char* variable : mpi.ranks)
    if (const char* rank = std::getenv(variable); rank != nullptr) return rank;
  return nullptr;
}

// "": it is not installed. Looks in the build tree, and beside bin/ of an installation.
std::string find(const Mpi& mpi) {
  std::error_code trouble;
  const fs::path home = fs::read_symlink("/proc/self/exe", trouble).parent_path();
  for (const char* place : {".", "../" WAITPROF_LIBDIR "/waitprof", "../lib/waitprof", "../lib64/waitprof"}) {
    const fs::path file = home / place / mpi.program;
    if (fs::exists(file, trouble)) return file.string();
  }
  return "";
}

int cannot_start(const char* rank, const std::string& why) {
  if (rank == nullptr || std::strcmp(rank, "0") == 0)
    std::fprintf(stderr, "waitdiag-calibrate: %s\n", why.c_str());
  return kNotStarted;
}

}  // namespace

int main(int, char** argv) {
  const Mpi* chosen = nullptr;
  const char* rank = nullptr;
  for (const Mpi& mpi : kMpis) {
    if (chosen != nullptr) break;
    rank = rank_under_launcher_of(mpi);
    if (rank != nullptr) chosen = &mpi;
  }
  for (const Mpi& mpi : kMpis)  // without a launcher, any of them says what is missing, or prints its help
    if (chosen == nullptr && !find(mpi).empty()) chosen = &mpi;
  if (chosen == nullptr)
    return cannot_start(rank,
                        "this installation is for no MPI; make what it needs with: waitdiag backend build "
                        "--mpicc PATH/mpicc");
  const std::string program = find(*chosen);
  if (program.empty())
    return cannot_start(rank, std::string("the launcher is ") + chosen->name +
                                  "'s, for which this installation has no " + chosen->program +
                                  "; make it with: waitdiag backend build --mpicc PATH/mpicc");
  execv(program.c_str(), argv);
  return cannot_start(rank, "cannot start " + program + " (" + std::strerror(errno) + ")");
}
