// Which library an address is in, whether that library belongs to MPI, and whether one is loaded.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <link.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "libwaitprof/surroundings/file_name.hpp"
#include "libwaitprof/surroundings/loaded_objects.hpp"

namespace waitprof {

// nullptr: in no loaded library. Not in signal handlers.
inline const link_map* library_of(void* address) noexcept {
  note_loaded_objects();
  LoadedObject found;
  return find_loaded_object(address, found) ? found.library : nullptr;
}

// Whether the file is a library of MPI itself, or one that it is built on.
inline bool is_name_of_mpi(std::string_view file) noexcept {
  using std::string_view_literals::operator""sv;
  constexpr std::string_view kBeginnings[] = {"libmpi"sv, "libopen-"sv, "mca_"sv,  "libfabric"sv,
                                              "libuc"sv,  "libpmi"sv,   "libpsm"sv};
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [file](std::string_view beginning) { return file.starts_with(beginning); });
}

// Whether the address is in such a library. Not in signal handlers.
inline bool is_in_library_of_mpi(std::uintptr_t address) noexcept {
  note_loaded_objects();
  LoadedObject found;
  return find_loaded_object(address, found) && is_name_of_mpi(file_name(found.path));
}

// What dlopen() with RTLD_NOLOAD has for a library's SONAME; nullptr: it is not loaded. Of such a library dlopen() would
// read the linker's cache, and look for it in directories.
void* handle_of_loaded(const char* name) noexcept;

}  // namespace waitprof
