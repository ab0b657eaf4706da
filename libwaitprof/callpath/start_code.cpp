// See start_code.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/start_code.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>

#include "libwaitprof/surroundings/loaded_objects.hpp"

namespace waitprof {

CodeRange object_around(const void* code) noexcept {
  note_loaded_objects();
  LoadedObject found;
  if (code == nullptr || !find_loaded_object(code, found)) return {};
  return {found.begin, found.end};
}

StartCode find_start_code() noexcept {
  constexpr int kFramesOfCLibrary = 4;
  constexpr std::uintptr_t kBytesOfStart = 64;  // _start has a dozen instructions in every C run time
  const std::uintptr_t entry = getauxval(AT_ENTRY);
  void* const c_library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  StartCode code;
  code.entry = {entry, entry + kBytesOfStart};
  code.c_library = object_around(c_library != nullptr ? dlsym(c_library, "__libc_start_main") : nullptr);
  code.launcher = code_of_launcher();
  code.frames = code.launcher.empty() ? kFramesOfCLibrary : kMostStartFrames;
  return code;
}

}  // namespace waitprof
