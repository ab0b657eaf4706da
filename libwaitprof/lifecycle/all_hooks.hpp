// All hooks, for the generated wrappers. To add a hook: a struct here, a @hook line in spec/mpi_calls.spec.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/hooks/call.hpp"            // IWYU pragma: export
#include "libwaitprof/hooks/collective.hpp"      // IWYU pragma: export
#include "libwaitprof/hooks/communicator.hpp"    // IWYU pragma: export
#include "libwaitprof/hooks/completion.hpp"      // IWYU pragma: export
#include "libwaitprof/hooks/file_io.hpp"         // IWYU pragma: export
#include "libwaitprof/hooks/nonblocking.hpp"     // IWYU pragma: export
#include "libwaitprof/hooks/one_sided.hpp"       // IWYU pragma: export
#include "libwaitprof/hooks/operator.hpp"        // IWYU pragma: export
#include "libwaitprof/hooks/point_to_point.hpp"  // IWYU pragma: export
#include "libwaitprof/hooks/region.hpp"          // IWYU pragma: export
#include "libwaitprof/lifecycle/lifecycle.hpp"   // IWYU pragma: export
