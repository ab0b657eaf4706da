// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/definitions/definitions.hpp"

namespace waitprof::archive {

// Before the anchor is written: the archive's identifier follows from the unified definitions.
void set_trace_id(const Definitions& definitions);

}  // namespace waitprof::archive
