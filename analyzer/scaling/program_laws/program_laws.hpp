// The laws of all calls of a program, with as few grids of ranks as possible.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "analyzer/scaling/program_laws/slots.hpp"
#include "analyzer/scaling/quantity_laws/study.hpp"
#include "analyzer/scaling/rank_laws/roles.hpp"

namespace waitdiag {

struct ProgramLaws {
  std::unique_ptr<Roles> roles{};
  Slots slots{};
};

// Each law is the first that holds, so grids that come first are used most. Where laws use grids of several shapes, one of
// these may explain all calls: 4x4x2 and 8x4 are alike in who is above whom, and not in the next larger run. That one comes
// first in `study.grids` then. Throws TraceError for anything without a law. `study` must outlive the laws.
ProgramLaws find_program_laws(Study& study);

}  // namespace waitdiag
