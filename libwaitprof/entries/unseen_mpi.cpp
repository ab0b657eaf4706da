// At the end of a process: whether it used an MPI whose functions it did not look up by name, and so bypassed
// us. No call shows us that, and the report would be missing without a message.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "libwaitprof/entries/load_backend.hpp"
#include "libwaitprof/entries/mpi_in_process.hpp"
#include "libwaitprof/surroundings/front.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {
namespace {

bool was_initialised() noexcept {
  int flag = 0;
  void* const question = waitprof_real_function("MPI_Initialized");
  return question != nullptr && reinterpret_cast<int (*)(int*)>(question)(&flag) == 0 && flag != 0;
}

// dlmopen() loads into a separate list, which the loader hides from code outside; the kernel knows the files.
bool is_mpi_mapped() noexcept {
  const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return false;
  char text[4096 + 64];  // holds two readings, as a name may be split between them
  std::size_t kept = 0;
  bool found = false;
  for (ssize_t read = 0; !found && (read = ::read(maps, text + kept, 4096)) > 0;) {
    text[kept + static_cast<std::size_t>(read)] = '\0';
    const std::size_t length = std::strlen(text);
    found = std::strstr(text, "/libmpi.so.") != nullptr || std::strstr(text, "/libmpich.so.") != nullptr;
    kept = length < 32 ? length : 32;
    std::memmove(text, text + length - kept, kept);
  }
  ::close(maps);
  return found;
}

bool is_switched_off() noexcept {
  const char* const enabled = std::getenv("WAITPROF_ENABLE");
  return enabled != nullptr && std::strcmp(enabled, "off") == 0;
}

[[gnu::destructor]] void tell_of_unseen_mpi() noexcept {
  if (any_mpi_call() || is_switched_off() || !speaks_for_job()) {
    return;
  }
  const MpiInProcess mpi = mpi_in_process();
  if (mpi.name != nullptr ? !was_initialised() : !is_mpi_mapped()) {
    return;
  }
  say("this program uses %s%s%s%s, but not by the names of its functions (dlsym() on a handle, "
      "RTLD_DEEPBIND, dlmopen()): "
      "its calls do not reach this library, and nothing is recorded. Link what calls MPI with it instead.",
      mpi.name != nullptr ? mpi.name : "an MPI", mpi.name != nullptr ? " (" : "",
      mpi.name != nullptr ? mpi.library : "", mpi.name != nullptr ? ")" : "");
}

}  // namespace
}  // namespace waitprof
