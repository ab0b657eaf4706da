// Which of the program and its libraries an address is in: asked in signal handlers and on the way of a call, where
// the dynamic linker's lock must not be taken.
//
// glibc answers without a lock from 2.35 on. Before, a table of ours does, which is read anew, under that lock, where
// it may be taken: see note_loaded_objects(). In between it may be behind: what was loaded since is not found, and
// what was unloaded since is noticed by its unwind table, which is not there any more.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace waitprof {

struct LoadedObject {
  std::uintptr_t begin = 0, end = 0;
  std::uintptr_t load_bias = 0;  // what is added to the addresses in its file
  const char* path = nullptr;    // "": the program itself
  const ElfW(Dyn) * dynamic_section = nullptr;
  const std::uint8_t* unwind_table = nullptr;  // .eh_frame_hdr; nullptr: it has none
  // Which one it is; never nullptr once found. The dynamic linker frees it with the object: where our table answers and
  // may be behind, it is a name to compare, and not to be followed.
  const link_map* library = nullptr;
};

// False: there is none, or none is known yet. Neither locks nor allocates.
bool find_loaded_object(std::uintptr_t address, LoadedObject& object) noexcept;
inline bool find_loaded_object(const void* address, LoadedObject& object) noexcept {
  return find_loaded_object(reinterpret_cast<std::uintptr_t>(address), object);
}

// Objects may have come or gone. Where glibc answers itself this does nothing; else it asks the dynamic linker for
// its counters, and reads its list if they changed. Not in signal handlers.
void note_loaded_objects() noexcept;

// For tests: as if glibc had no answer of its own.
void use_own_object_table(bool own) noexcept;

}  // namespace waitprof
