// Which object (the program or a library) contains an address. Used in signal handlers and in recorded calls,
// where the dynamic linker's lock must not be taken.
//
// glibc answers this without a lock from 2.35 on. For older versions we have a table of our own, which is
// refilled under that lock where it may be taken: see note_loaded_objects(). In between the table may be out
// of date: objects loaded since are not found; objects unloaded since are noticed because their unwind table
// is gone.
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
  // The dynamic linker's entry of the object; never nullptr once found. The dynamic linker frees it with the
  // object: where our table answers, which may be out of date, the pointer may be compared but not
  // dereferenced.
  const link_map* library = nullptr;
};

// False: there is none, or none is known yet. Neither locks nor allocates.
bool find_loaded_object(std::uintptr_t address, LoadedObject& object) noexcept;
inline bool find_loaded_object(const void* address, LoadedObject& object) noexcept {
  return find_loaded_object(reinterpret_cast<std::uintptr_t>(address), object);
}

// Called when objects may have come or gone. Where glibc answers itself this does nothing; otherwise it asks
// the dynamic linker for its counters, and reads its list if they have changed. Not in signal handlers.
void note_loaded_objects() noexcept;

// For tests: behaves as if glibc had no answer of its own.
void use_own_object_table(bool own) noexcept;

}  // namespace waitprof
