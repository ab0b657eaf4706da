// The program and its libraries, also those that it opens itself later (dlopen): plugins, modules of Python. Calls of
// all of them are watched.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/callpath/import_table.hpp"

namespace waitprof {

// `first`: a handle from dlopen: that library and those loaded after it have come; nullptr: any may have. `opening`: to be
// replaced as well, so that every table is walked once.
using WatchLibraries = void (*)(void* first, const ImportReplacement& opening) noexcept;

// Calls it for all that are loaded by now, and when others have come. Once per process.
void watch_libraries(WatchLibraries watch) noexcept;

}  // namespace waitprof
