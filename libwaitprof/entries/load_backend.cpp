// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/entries/load_backend.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/entries/mpi_in_process.hpp"
#include "libwaitprof/surroundings/front.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {

constinit std::atomic<const Backend*> loaded_backend{nullptr};

namespace {

constinit std::atomic<bool> looked_for{false};
constinit std::atomic<std::uint64_t> time_to_load{0}, ran_to_load{0};

std::uint64_t time_by(clockid_t clock) noexcept {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

// True only for the first caller, and only on the rank that prints messages for the job.
bool may_explain() noexcept {
  static constinit std::atomic<bool> said{false};
  return speaks_for_job() && !said.exchange(true);
}

// The path by which we were preloaded may be relative to a directory that the program has left: the kernel
// knows the file.
bool own_path(char (&path)[PATH_MAX]) noexcept {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&own_path), &own) == 0) {
    return false;
  }
  std::snprintf(path, sizeof path, "%s", own.dli_fname);
  std::FILE* const maps = path[0] != '/' ? std::fopen("/proc/self/maps", "re") : nullptr;
  char line[PATH_MAX + 128];
  const auto address = reinterpret_cast<std::uintptr_t>(&own_path);
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    std::uintptr_t begin = 0, end = 0;
    const char* const file = std::strchr(line, '/');
    if (file != nullptr && std::sscanf(line, "%lx-%lx", &begin, &end) == 2 && begin <= address &&
        address < end) {
      std::snprintf(path, sizeof path, "%.*s", static_cast<int>(std::strcspn(file, "\n")), file);
    }
  }
  if (maps != nullptr) std::fclose(maps);
  return path[0] == '/';
}

// waitprof/libwaitprof-openmpi.so beside us.
bool path_of(const char* backend, char (&path)[PATH_MAX]) noexcept {
  char own[PATH_MAX];
  if (!own_path(own)) {
    return false;
  }
  *std::strrchr(own, '/') = '\0';
  return std::snprintf(path, sizeof path, "%s/waitprof/libwaitprof-%s.so", own, backend) < PATH_MAX;
}

bool fits(const Backend& backend, std::size_t entries) noexcept {
  return std::strcmp(backend.version, WAITPROF_VERSION) == 0 && backend.entries == entries &&
         backend.thread_bytes == sizeof(ThreadState);
}

const Backend* load(const MpiInProcess& mpi, std::size_t entries) noexcept {
  char path[PATH_MAX];
  if (!path_of(mpi.backend, path)) {
    if (may_explain()) say("cannot find the directory of this library: nothing is recorded.");
    return nullptr;
  }
  if (::access(path, F_OK) != 0) {
    if (may_explain())
      say("this program uses %s (%s), for which this installation has no %s: nothing is recorded. Make it, "
          "with that MPI's compiler wrapper: waitdiag backend build --mpicc PATH/mpicc",
          mpi.name, mpi.library, path);
    return nullptr;
  }
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const auto* const backend =
      library != nullptr ? static_cast<const Backend*>(dlsym(library, "waitprof_backend")) : nullptr;
  if (backend == nullptr) {
    if (may_explain()) say("cannot load the part for %s: %s. Nothing is recorded.", mpi.name, dlerror());
    return nullptr;
  }
  if (!fits(*backend, entries)) {
    if (may_explain())
      say("%s is of another build (%s, this library is %s): nothing is recorded. Install both together.",
          path, backend->version, WAITPROF_VERSION);
    return nullptr;
  }
  return backend;
}

}  // namespace

bool any_mpi_call() noexcept {
  return looked_for.load(std::memory_order_acquire);
}

bool speaks_for_job() noexcept {
  for (const char* variable : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(variable); rank != nullptr) {
      return std::strcmp(rank, "0") == 0;
    }
  }
  return true;
}

// Threads that come at the same time load the same backend; none waits for another except in the loader.
const Backend* backend_of_mpi(std::size_t entries) noexcept {
  if (looked_for.load(std::memory_order_acquire)) {
    return loaded_backend.load(std::memory_order_acquire);
  }
  const MpiInProcess mpi = mpi_in_process();
  if (mpi.name == nullptr) {
    return nullptr;  // it may be loaded later
  }
  if (mpi.backend == nullptr && may_explain()) {
    say("this program uses %s (%s), which cannot be recorded: it runs without the recorder.", mpi.name,
        mpi.library);
  }
  const std::uint64_t begin = time_by(CLOCK_MONOTONIC), ran = time_by(CLOCK_THREAD_CPUTIME_ID);
  const Backend* const backend = mpi.backend != nullptr ? load(mpi, entries) : nullptr;
  time_to_load.store(time_by(CLOCK_MONOTONIC) - begin, std::memory_order_relaxed);
  ran_to_load.store(time_by(CLOCK_THREAD_CPUTIME_ID) - ran, std::memory_order_relaxed);
  loaded_backend.store(backend, std::memory_order_release);
  looked_for.store(true, std::memory_order_release);
  return backend;
}

}  // namespace waitprof

WaitprofTimeToLoad waitprof_time_to_load() noexcept {
  return {waitprof::time_to_load.load(std::memory_order_relaxed),
          waitprof::ran_to_load.load(std::memory_order_relaxed)};
}
