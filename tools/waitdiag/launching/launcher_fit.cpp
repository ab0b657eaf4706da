// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/launcher_fit.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "tools/waitdiag/command_line/environment.hpp"
#include "tools/waitdiag/launching/search_path.hpp"

namespace waitdiag::tool {
namespace {

struct Family {
  MpiLibrary library;
  Launcher launcher;
  const char* name;
  std::array<const char*, 3> launchers;  // by names that no other MPI uses
  const char* any_launcher;
};

constexpr std::array<Family, 2> kFamilies{{{MpiLibrary::Mpich,
                                            Launcher::Hydra,
                                            "MPICH",
                                            {"mpiexec.mpich", "mpirun.mpich", "mpiexec.hydra"},
                                            "MPICH's mpiexec"},
                                           {MpiLibrary::OpenMpi,
                                            Launcher::OpenMpi,
                                            "Open MPI",
                                            {"mpirun.openmpi", "orterun", "prterun"},
                                            "Open MPI's mpirun"}}};

const Family* family_of(MpiLibrary library) {
  for (const Family& family : kFamilies)
    if (family.library == library) return &family;
  return nullptr;
}

const Family* family_of(Launcher launcher) {
  for (const Family& family : kFamilies)
    if (family.launcher == launcher) return &family;
  return nullptr;
}

std::string right_launcher(const Family& family) {
  for (const char* const name : family.launchers)
    if (!find_executable(name).empty()) return name;
  return family.any_launcher;
}

}  // namespace

Launcher launcher_of(const std::vector<std::string>& launch_line) {
  const std::size_t place = place_of_launcher(launch_line);
  if (place == launch_line.size()) return Launcher::None;
  std::error_code trouble;
  const std::filesystem::path file = std::filesystem::canonical(find_executable(launch_line[place]), trouble);
  if (trouble) return Launcher::Other;
  std::ifstream stream(file, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  const Launcher launcher = launcher_of(file.string(), content);
  return launcher == Launcher::None ? Launcher::Other : launcher;
}

Launcher launcher_of_this_process() {
  const auto several = [](const char* size) {
    const std::string ranks = environment(size);
    return !ranks.empty() && ranks != "1";
  };
  if (several("OMPI_COMM_WORLD_SIZE")) return Launcher::OpenMpi;
  if (!environment("SLURM_PROCID").empty()) return Launcher::Other;
  return several("PMI_SIZE") ? Launcher::Hydra : Launcher::None;
}

std::string why_ranks_are_alone(Launcher launcher, const std::string& program, const ProgramProbe& probe) {
  const Family* const wanted = family_of(mpi_library(probe));
  const Family* const used = family_of(launcher);
  if (wanted == nullptr || used == nullptr || wanted == used) return "";
  return fmt::format(
      "{} is linked with {} ({}), but its launcher is {}'s, so each process is a job of one rank; start it "
      "with {}",
      program, wanted->name, mpi_library_name(probe), used->name, right_launcher(*wanted));
}

std::string hint_at_launcher(Launcher launcher, const std::string& program, const ProgramProbe& probe) {
  const Family* const family = family_of(mpi_library(probe));
  if (launcher != Launcher::None || family == nullptr) return "";
  return fmt::format(
      "{} was started without a launcher, so it is a job of one rank; for more ranks: {} -n 4 ...", program,
      right_launcher(*family));
}

}  // namespace waitdiag::tool
