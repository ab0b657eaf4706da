// What the front finds in this library.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/entries/backend.hpp"

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/generated/entries.hpp"
#include "libwaitprof/lifecycle/steps.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"
#include "libwaitprof/regions/open_regions.hpp"

#define WAITPROF_COUNT(name, number) +1  // NOLINT(bugprone-macro-parentheses): a sum of ones
constexpr std::size_t kEntries = 0 WAITPROF_ENTRIES(WAITPROF_COUNT);

// For `waitdiag backend` and `doctor`, which read it in the file: `strip` keeps the section.
__attribute__((section("waitprof_built_for"), used)) constexpr char kBuiltFor[] =
    WAITPROF_VERSION " for " WAITPROF_BUILT_FOR;

// Our objects live as long as the process. Their destructors would be registered here, when MPI is initialised, and
// so run before those handlers of the program that were registered earlier, one of which may call MPI_Finalize.
// NOLINTNEXTLINE(readability-identifier-naming): the C++ ABI calls it so
extern "C" int __cxa_atexit(void (*)(void*), void*, void*) noexcept {
  return 0;
}

extern "C" __attribute__((visibility("default"))) constexpr waitprof::Backend waitprof_backend = {
    .version = WAITPROF_VERSION,
    .entries = kEntries,
    .thread_bytes = sizeof(waitprof::ThreadState),
    .wrappers = waitprof::kWrappers,
    .enter_region = waitprof::enter_region,
    .leave_region = waitprof::leave_region,
    .enter_function = waitprof::enter_function,
    .leave_function = waitprof::leave_function,
    .begin_step = waitprof::begin_step,
    .adopt_regions = waitprof::adopt_early_regions,
};
