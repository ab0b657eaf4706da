// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/mpi/fortran_library.hpp"

#include <atomic>
#include <cstring>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/surroundings/file_name.hpp"
#include "libwaitprof/surroundings/loaded_objects.hpp"

namespace waitprof {

namespace {

// Where the library is, once it was seen. The beginning is stored last, so that a thread that sees it also
// sees the end.
constinit std::atomic<std::uintptr_t> code_begin{0}, code_end{0};

// MPICH: libmpichfort.so.12, libmpifort.so.12. Open MPI: libmpi_mpifh.so.40, libmpi_usempif08.so.40 ...
bool is_fortran_library(const char* path) noexcept {
  const char* const name = file_name(path);
  return std::strncmp(name, "libmpi", 6) == 0 &&
         (std::strstr(name, "fort") != nullptr || std::strncmp(name, "libmpi_mpif", 11) == 0 ||
          std::strncmp(name, "libmpi_usempi", 13) == 0);
}

}  // namespace

bool called_by_fortran_library(std::uintptr_t caller) noexcept {
  if (this_thread.mpi_depth > 0) {
    return false;
  }
  const std::uintptr_t begin = code_begin.load(std::memory_order_acquire);
  if (begin != 0 && caller - begin < code_end.load(std::memory_order_relaxed) - begin) {
    return true;
  }
  note_loaded_objects();
  LoadedObject found;
  if (!find_loaded_object(caller, found) || !is_fortran_library(found.path)) {
    return false;
  }
  code_end.store(found.end, std::memory_order_relaxed);
  code_begin.store(found.begin, std::memory_order_release);
  return true;
}

}  // namespace waitprof
