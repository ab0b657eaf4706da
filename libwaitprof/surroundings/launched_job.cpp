// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/launched_job.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "libwaitprof/surroundings/small_file.hpp"

namespace waitprof {
namespace {

long variable_as_number(const char* variable) noexcept {
  const char* const value = std::getenv(variable);
  return value != nullptr ? std::strtol(value, nullptr, 10) : -1;
}

struct Process {
  bool launches = false;
  long parent = 0;
  unsigned long long started = 0;  // after the machine was booted
};

// Reads /proc/<id>/stat: the name is in parentheses and may contain some itself; state and parent follow; the
// start is the 22nd value.
Process look_at(long id) noexcept {
  char path[32], text[512];
  std::snprintf(path, sizeof path, "/proc/%ld/stat", id);
  Process process;
  read_small_file(path, text);
  const char* const name = std::strchr(text, '(');
  const char* const behind = std::strrchr(text, ')');
  if (name == nullptr || behind == nullptr) return process;
  constexpr char kLauncher[] = "(hydra_pmi_proxy";
  process.launches = std::strncmp(name, kLauncher, sizeof kLauncher - 1) == 0;
  constexpr char kNineteenValues[] =
      ") %*c %ld %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu";
  if (std::sscanf(behind, kNineteenValues, &process.parent, &process.started) != 2) return {};
  return process;
}

// A job of MPICH's launcher; scripts and tools may stand between it and this process.
LaunchedJob of_hydra() noexcept {
  constexpr int kMostBetween = 16;
  LaunchedJob job{.rank = variable_as_number("PMI_RANK"), .ranks = variable_as_number("PMI_SIZE")};
  long id = ::getppid();
  for (int i = 0; job.ranks > 0 && i < kMostBetween && id > 1; ++i) {
    const Process process = look_at(id);
    if (process.launches) {
      std::snprintf(job.name, sizeof job.name, "%ld.%llu", id, process.started);
      job.one_machine = job.ranks == variable_as_number("MPI_LOCALNRANKS");
      job.pmi = static_cast<int>(variable_as_number("PMI_FD"));
      return job;
    }
    id = process.parent;
  }
  return {};
}

std::uint64_t mixed(std::uint64_t hash, const char* text) noexcept {
  for (; text != nullptr && *text != '\0'; ++text) {
    hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3U;  // FNV-1a
  }
  return hash;
}

// Open MPI 4 reuses job numbers; the address of the launcher tells such jobs apart.
LaunchedJob of_open_mpi() noexcept {
  const char* const name = std::getenv("PMIX_NAMESPACE");
  if (name == nullptr) return {};
  const std::uint64_t hash = mixed(mixed(0xcbf29ce484222325U, name), std::getenv("OMPI_MCA_orte_hnp_uri"));
  LaunchedJob job{.rank = variable_as_number("OMPI_COMM_WORLD_RANK"),
                  .ranks = variable_as_number("OMPI_COMM_WORLD_SIZE")};
  std::snprintf(job.name, sizeof job.name, "%llx", static_cast<unsigned long long>(hash));
  job.one_machine = job.ranks == variable_as_number("OMPI_COMM_WORLD_LOCAL_SIZE");
  job.on_all_machines = true;
  return job;
}

LaunchedJob of_slurm() noexcept {
  LaunchedJob job{.rank = variable_as_number("SLURM_PROCID"),
                  .ranks = variable_as_number("SLURM_STEP_NUM_TASKS")};
  slurm_step_name(job.name);
  job.one_machine = variable_as_number("SLURM_STEP_NUM_NODES") == 1;
  job.on_all_machines = true;
  return job;
}

}  // namespace

bool slurm_step_name(char (&name)[kLongestJobName]) noexcept {
  const long id = variable_as_number("SLURM_JOB_ID"), step = variable_as_number("SLURM_STEP_ID");
  if (id < 0 || step < 0) return false;
  std::snprintf(name, sizeof name, "%ld.%ld-%ld", id, step, variable_as_number("SLURM_STEP_LAUNCHER_PORT"));
  return true;
}

LaunchedJob launched_job() noexcept {
  for (LaunchedJob (*const ask)() noexcept : {of_hydra, of_open_mpi, of_slurm}) {
    if (const LaunchedJob job = ask(); job.known()) return job;
  }
  return {};
}

}  // namespace waitprof
