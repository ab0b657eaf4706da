// From a collective operation to its messages, by the machine's table.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "analyzer/simulation/machine/collective_table.hpp"
#include "analyzer/simulation/machine/placement.hpp"
#include "analyzer/simulation/replay/program.hpp"
#include "analyzer/simulation/replay/schedule.hpp"

namespace waitdiag {

// All members only wait for the last one to come: MPI_Init, MPI_Finalize, windows, files.
bool only_gathers(CollectiveKind kind);
// What such an operation, or a fence, consists of where the table says it; otherwise nullptr.
const std::vector<ConstructorStage>* composition_of(CollectiveKind kind, const CollectiveTable& table);

// `ranks`: the world rank of each member.
void tell_rounds(const CollectiveShape& shape, std::span<const std::uint32_t> ranks,
                 const Placement& placement, const CollectiveTable& table, Rounds& out);
Schedule make_schedule(const CollectiveShape& shape, std::span<const std::uint32_t> ranks,
                       const Placement& placement, const CollectiveTable& table);

}  // namespace waitdiag
