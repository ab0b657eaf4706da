// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/lifecycle/last_progress.hpp"

#include <dlfcn.h>
#include <link.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "libwaitprof/callpath/import_table.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"
#include "libwaitprof/surroundings/front.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"

namespace waitprof {
namespace {

using Progress = unsigned(void* worker);
using Destroy = void(void* worker);
Progress* ucx_progress = nullptr;
Destroy* ucx_destroy = nullptr;

// MPI has one for each of its virtual communication interfaces.
std::array<void*, 16> workers_of_mpi{};

unsigned note_worker(void* worker) {
  const auto place = std::find_if(workers_of_mpi.begin(), workers_of_mpi.end(),
                                  [worker](void* known) { return known == worker || known == nullptr; });
  if (place != workers_of_mpi.end()) *place = worker;
  return ucx_progress(worker);
}

void forget_worker(void* worker) {
  std::fill(workers_of_mpi.begin(), workers_of_mpi.end(), nullptr);
  ucx_destroy(worker);
}

// A signal of the program's is none.
bool has_news(int file) noexcept {
  constexpr int kMilliseconds = 1;
  pollfd wanted{.fd = file, .events = POLLIN, .revents = 0};
  const int kept = errno;
  const int found = poll(&wanted, 1, kMilliseconds);
  const bool interrupted = found < 0 && errno == EINTR;
  errno = kept;
  return found != 0 && !interrupted;
}

// MPI itself calls it here and there, but in UCX.
ssize_t read_with_progress(int file, void* bytes, std::size_t most) {
  while (workers_of_mpi.front() != nullptr && !has_news(file)) {
    for (void* const worker : workers_of_mpi) {
      if (worker != nullptr) ucx_progress(worker);
    }
  }
  return read(file, bytes, most);
}

template <class Function>
Function* function_of(void* library, const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

void make_progress_in_finalize() noexcept {
  if (!kStartAndEndSynchronise) return;
  const link_map* const library = library_of(waitprof_real_function("MPI_Finalize"));
  if (library == nullptr || ucx_progress != nullptr) return;
  void* const handle = dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return;
  ucx_progress = function_of<Progress>(handle, "ucp_worker_progress");
  ucx_destroy = function_of<Destroy>(handle, "ucp_worker_destroy");
  if (ucx_progress != nullptr && ucx_destroy != nullptr &&
      replace_import(handle, "ucp_worker_destroy", reinterpret_cast<void*>(&forget_worker)) &&
      replace_import(handle, "read", reinterpret_cast<void*>(&read_with_progress))) {
    replace_import(handle, "ucp_worker_progress", reinterpret_cast<void*>(&note_worker));
  }
  dlclose(handle);
}

}  // namespace waitprof
