// What loaded libraries import, replaced for those libraries alone: their entries of the procedure linkage table
// and the global offset table are pointed elsewhere, the rest of the process keeps its own bindings.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>

namespace waitprof {

// Makes every call of `function` by the library behind `handle` (from dlopen) go to `replacement`. False: the
// library does not call it through its table, or the table cannot be written.
bool replace_import(void* handle, const char* function, void* replacement) noexcept;

struct ImportReplacement {
  const char* function;
  void* original;  // replaced only where bound to this or not bound yet; nullptr: nowhere
  void* replacement;
};

// The same in the program and all libraries that are loaded by now, except those whose files `leave_out`
// names; returns how many imports were replaced. Earlier replacements stay. Locks the dynamic linker.
// `first`: a handle from dlopen; only in that library and those that were loaded after it. Of two replacements of one
// function the first counts. All names of all imports are read: one call for many is cheaper.
using ImportReplacements = std::span<const ImportReplacement>;
std::size_t replace_imports(std::initializer_list<ImportReplacements> replacements,
                            bool (*leave_out)(const char* library), void* first = nullptr) noexcept;

// The library's function of that name; nullptr if there is none, or another tool has put its own before it.
void* unreplaced_function(void* library, const char* name) noexcept;

// Whether it is a library of MPI, the dynamic linker or the C library, whose own calls are left alone.
bool is_left_alone(const char* library) noexcept;

}  // namespace waitprof
