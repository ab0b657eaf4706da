// Unified definitions -> traces.def (by rank 0) and the archive's properties; id maps -> each rank's local
// definitions. One function per kind, in the order in which readers need them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <span>

#include "libwaitprof/definitions/clock_offset.hpp"
#include "libwaitprof/definitions/definitions.hpp"
#include "libwaitprof/definitions/global_writer.hpp"

namespace waitprof::archive {

// Where the unified ids went; `good` is false if something could not be written.
struct GlobalIds {
  IdMaps maps;
  bool good = true;
};
GlobalIds write_global_definitions(OTF2_Archive* archive, const Definitions& definitions);

// The parts of the function above.
void write_clock(GlobalWriter& writer, const Definitions& definitions);
void write_fixed_definitions(GlobalWriter& writer, const Definitions& definitions);
void write_places(GlobalWriter& writer, const Definitions& definitions);
std::vector<std::uint32_t> write_code(GlobalWriter& writer, const Definitions& definitions);  // region ids
std::vector<std::uint32_t> write_communicators(GlobalWriter& writer, const Definitions& definitions);

// `all_local`: every rank wrote its local definitions.
bool write_properties(OTF2_Archive* archive, const Definitions& definitions, bool all_local);

// Bytes needed for the largest single definition: OTF2 cannot split a definition.
std::uint64_t definition_chunk(const Definitions& definitions);

// Writes the local definitions for the locations of one rank.
bool write_local_definitions(OTF2_Archive* archive, std::span<const OTF2_LocationRef> locations,
                             const IdMaps& maps, std::span<const ClockOffset> clocks);

}  // namespace waitprof::archive
