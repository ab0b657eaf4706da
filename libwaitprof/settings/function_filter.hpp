// Which user regions are not recorded (WAITPROF_FILTER_FUNCTIONS): those for which the last rule that matches
// the name says EXCLUDE. The rules are Score-P's: shell patterns of names, EXCLUDE and INCLUDE.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

namespace waitprof {

// Takes the rules in place of earlier ones: "name,na*me" leaves out these; "@file", or a path with a slash,
// is a filter file in Score-P's format, or just a list of patterns. False: no rule, or the file cannot be
// read.
bool read_function_filter(const char* text) noexcept;

// The setting as it was read, valid until the end; "": none.
const char* function_filter() noexcept;

// The errno that says why the file could not be read; 0: it was read, or there is none.
int function_filter_file_trouble() noexcept;

// The file has rules for names of source files, which are not known while the program runs.
bool function_filter_ignores_rules() noexcept;

// Whether the rules leave out this name. A pattern need not have the signature of a C++ function: "solve"
// matches "solve(int)".
bool is_filtered_name(const char* name) noexcept;
// The same for a function with two names, the symbol and the name as its author wrote it; either may match
// ("": none).
bool is_filtered_symbol(const char* symbol, const char* as_written) noexcept;

// Whether there are rules.
extern constinit std::atomic<bool> functions_are_filtered __attribute__((visibility("hidden")));

}  // namespace waitprof
