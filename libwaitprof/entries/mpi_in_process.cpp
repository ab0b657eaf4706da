// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/entries/mpi_in_process.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>

#include <cstring>

#include "libwaitprof/surroundings/dynamic_section.hpp"
#include "libwaitprof/surroundings/file_name.hpp"
#include "libwaitprof/surroundings/front.hpp"

#if __GLIBC_PREREQ(2, 35)
// Weak, since the program may run on an older glibc that lacks it.
#pragma weak _dl_find_object
#endif

namespace waitprof {
namespace {

// MPIs by SONAME, which is what a program was linked against. The first that fits counts.
struct Abi {
  const char* begins;
  const char* ends;
  const char* name;
  const char* backend;
};
constexpr Abi kAbis[] = {
    {"libmpi_abi.so", "", "an MPI with the ABI of the MPI standard", nullptr},
    {"libmpi.so.40", "", "Open MPI", "openmpi"},
    // MPICH's own libmpi.so.12, Debian's libmpich.so.12, Cray's libmpi_gnu.so.12, Intel's libmpi.so.12
    {"libmpi", ".so.12", "MPICH", "mpich"},
    {"libsimgrid.so", "", "SimGrid", nullptr},
};
constexpr Abi kOpenMpi = kAbis[1], kUnknown = {"", "", "an unknown MPI", nullptr};

bool fits(const Abi& abi, const char* soname) noexcept {
  const std::size_t length = std::strlen(soname), ending = std::strlen(abi.ends);
  return std::strncmp(soname, abi.begins, std::strlen(abi.begins)) == 0 && length >= ending &&
         std::strcmp(soname + length - ending, abi.ends) == 0;
}

// dl_iterate_phdr callback: copies the path of the first library named libmpi*.
int copy_path_of_mpi(dl_phdr_info* info, std::size_t, void* data) {
  if (std::strncmp(file_name(info->dlpi_name), "libmpi", 6) != 0 ||
      std::strlen(info->dlpi_name) >= PATH_MAX) {
    return 0;
  }
  std::strcpy(static_cast<char*>(data), info->dlpi_name);
  return 1;
}

}  // namespace

// Uses a glibc call that does not search symbols: it is called for every MPI function, and MPI libraries have
// thousands of symbols.
const link_map* library_of_function(void* function) noexcept {
#if __GLIBC_PREREQ(2, 35)
  dl_find_object object{};
  if (&_dl_find_object != nullptr && function != nullptr && _dl_find_object(function, &object) == 0 &&
      object.dlfo_link_map != nullptr) {
    return object.dlfo_link_map;
  }
#endif
  Dl_info about{};
  link_map* library = nullptr;
  const bool found = function != nullptr &&
                     dladdr1(function, &about, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) != 0;
  return found ? library : nullptr;
}

void* find_in_hidden_mpi(const char* symbol) noexcept {
  char path[PATH_MAX] = "";
  if (dl_iterate_phdr(copy_path_of_mpi, path) == 0) {
    return nullptr;
  }
  // The handle is kept: the library must not be unloaded while we hold addresses in it. It need not be the
  // MPI library itself: the libraries of its Fortran bindings load that one.
  void* const library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  return library != nullptr ? dlsym(library, symbol) : nullptr;
}

MpiInProcess mpi_in_process() noexcept {
  void* const initialise = waitprof_real_function("MPI_Init");
  const link_map* const library = library_of_function(initialise);
  if (library == nullptr) {
    return {};
  }
  const char* soname = soname_of(library->l_ld, library->l_addr);
  if (*soname == '\0') {
    soname = file_name(library->l_name);
  }
  for (const Abi& abi : kAbis) {
    if (fits(abi, soname)) {
      return {abi.name, soname, abi.backend};
    }
  }
  void* const handle = dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD);
  const bool marked = handle != nullptr && dlsym(handle, "ompi_mpi_comm_world") != nullptr;
  const Abi& abi = marked ? kOpenMpi : kUnknown;
  return {abi.name, soname, abi.backend};
}

}  // namespace waitprof
