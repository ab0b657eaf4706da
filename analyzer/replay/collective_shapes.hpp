// What the members of a collective operation gave and got, as recorded, made into block sizes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/replay/program.hpp"

namespace waitdiag {

// Adds all instances of `sync`, with their members and shapes, and counts what is not known exactly.
void add_collectives(const Trace& trace, const SyncPoints& sync, Program& program);

}  // namespace waitdiag
