// What loaded libraries import, replaced for those libraries alone: their entries of the procedure linkage table
// and the global offset table are pointed elsewhere, the rest of the process keeps its own bindings.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

namespace waitprof {

// Makes every call of `function` by the library behind `handle` (from dlopen) go to `replacement`. False: the
// library does not call it through its table, or the table cannot be written.
bool replace_import(void* handle, const char* function, void* replacement) noexcept;

struct ImportReplacement {
  const char* function;
  void* original;  // only what is bound to that is replaced, or not bound yet; nullptr: nothing
  void* replacement;
};

// The same in the program and all libraries that are loaded by now, but those that `leave_out` names by their file;
// how many imports were replaced. What is replaced already stays. Locks the dynamic linker.
std::size_t replace_imports(std::span<const ImportReplacement> replacements,
                            bool (*leave_out)(const char* library)) noexcept;

}  // namespace waitprof
