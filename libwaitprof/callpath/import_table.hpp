// What a loaded library imports, replaced for that library alone: its entries of the procedure linkage table
// are pointed elsewhere, the rest of the process keeps its own bindings.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// Makes every call of `function` by the library behind `handle` (from dlopen) go to `replacement`. False: the
// library does not call it through its table, or the table cannot be written.
bool replace_import(void* handle, const char* function, void* replacement) noexcept;

}  // namespace waitprof
