// What the front finds in this library.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/entries/backend.hpp"

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/generated/entries.hpp"
#include "libwaitprof/hooks/steps.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"
#include "libwaitprof/regions/open_regions.hpp"

#define WAITPROF_COUNT(name, number) +1  // NOLINT(bugprone-macro-parentheses): a sum of ones
constexpr std::size_t kEntries = 0 WAITPROF_ENTRIES(WAITPROF_COUNT);

// For `waitdiag backend` and `doctor`, which read it in the file: `strip` keeps the section.
__attribute__((section("waitprof_built_for"), used)) constexpr char kBuiltFor[] =
    WAITPROF_VERSION " for " WAITPROF_BUILT_FOR;

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
