// Keeps out of programs of Open MPI. One that is linked with it starts anew without us before its main();
// where it comes by dlopen(), as in Python, the entries lead past us.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/other_mpi.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "libwaitprof/mpi/real_mpi.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {
namespace {

constexpr char kMarkOfOpenMpi[] = "ompi_mpi_comm_world";
constexpr char kPreload[] = "LD_PRELOAD";
constexpr char kSeparators[] = ": ";

const char* name_in(const char* path, std::size_t length) noexcept {
  const void* slash = memrchr(path, '/', length);
  return slash != nullptr ? static_cast<const char*>(slash) + 1 : path;
}

// Takes libraries of our file's name out of LD_PRELOAD; false if there are none (/etc/ld.so.preload, linked).
bool leave_preload() noexcept {
  Dl_info own{};
  const char* list = std::getenv(kPreload);
  if (list == nullptr || dladdr(reinterpret_cast<void*>(&leave_preload), &own) == 0) {
    return false;
  }
  const char* our_name = name_in(own.dli_fname, std::strlen(own.dli_fname));
  char* others = static_cast<char*>(std::malloc(std::strlen(list) + 2));
  if (others == nullptr) {
    return false;
  }
  bool found = false;
  std::size_t kept = 0;
  for (const char* entry = list + std::strspn(list, kSeparators); *entry != '\0';) {
    const std::size_t length = std::strcspn(entry, kSeparators);
    const char* name = name_in(entry, length);
    const auto rest = static_cast<std::size_t>(entry + length - name);
    if (std::strlen(our_name) == rest && std::memcmp(name, our_name, rest) == 0) {
      found = true;
    } else {
      std::memcpy(others + kept, entry, length);
      kept += length;
      others[kept++] = ':';
    }
    entry += length + std::strspn(entry + length, kSeparators);
  }
  others[kept > 0 ? kept - 1 : 0] = '\0';
  const bool left = found && (kept > 0 ? setenv(kPreload, others, 1) : unsetenv(kPreload)) == 0;
  std::free(others);
  return left;
}

// The program's own path, so that it keeps its name in ps; by the link in /proc when the file is gone by now.
void start_anew(char** argv) noexcept {
  constexpr char kOwnProgram[] = "/proc/self/exe";
  char path[PATH_MAX] = "";
  if (readlink(kOwnProgram, path, sizeof path - 1) > 0) {
    execv(path, argv);
  }
  execv(kOwnProgram, argv);
}

bool is_first_rank() noexcept {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return rank == nullptr || std::strcmp(rank, "0") == 0;
}

// A program that was started by naming the loader (ld.so ./app) has no interpreter; it could not be started
// again.
__attribute__((constructor)) void leave_open_mpi_alone(int, char** argv, char**) noexcept {
  if (dlsym(RTLD_DEFAULT, kMarkOfOpenMpi) == nullptr) {
    return;
  }
  if (getauxval(AT_BASE) != 0 && leave_preload()) {
    say_that_open_mpi_is_left_alone();
    start_anew(argv);
  }
  say("this program uses Open MPI, which cannot be recorded, and may fail now: start it without "
      "libwaitprof.so");
}

}  // namespace

void* loaded_open_mpi() noexcept {
  Dl_info about{};
  void* const function = pmpi::find_real_function(Call::Init);
  if (function == nullptr || dladdr(function, &about) == 0) {
    return nullptr;
  }
  // The handle is kept: the library must not go while we hold addresses in it.
  void* const library = dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return library != nullptr && dlsym(library, kMarkOfOpenMpi) != nullptr ? library : nullptr;
}

void say_that_open_mpi_is_left_alone() noexcept {
  static constinit std::atomic<bool> said{false};
  if (is_first_rank() && !said.exchange(true)) {
    say("this program uses Open MPI, which cannot be recorded: it runs without the recorder");
  }
}

}  // namespace waitprof
