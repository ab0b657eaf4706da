// What a reader needs to understand one rank's event files: local id -> global id, and how its clock runs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "libwaitprof/definitions/write_definitions.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"

namespace waitprof::archive {
namespace {

bool is_identity(const std::vector<std::uint32_t>& ids) {
  std::uint32_t expected = 0;
  return std::all_of(ids.begin(), ids.end(), [&expected](std::uint32_t id) { return id == expected++; });
}

bool write_table(OTF2_DefWriter* writer, OTF2_MappingType type, const std::vector<std::uint32_t>& ids) {
  if (is_identity(ids)) {
    return true;  // what readers do without a table
  }
  OTF2_IdMap* table = OTF2_IdMap_CreateFromUint32Array(ids.size(), ids.data(), true);
  const bool written =
      table != nullptr && OTF2_DefWriter_WriteMappingTable(writer, type, table) == OTF2_SUCCESS;
  OTF2_IdMap_Free(table);
  return written;
}

bool write_location(OTF2_Archive* archive, OTF2_LocationRef location, const IdMaps& maps,
                    std::span<const ClockOffset> clocks) {
  OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive, location);
  if (writer == nullptr) {
    return false;
  }
  bool good = true;
  for (const auto& [type, ids] :
       {std::pair{OTF2_MAPPING_STRING, &maps.texts}, std::pair{OTF2_MAPPING_REGION, &maps.regions},
        std::pair{OTF2_MAPPING_COMM, &maps.communicators}, std::pair{OTF2_MAPPING_RMA_WIN, &maps.windows},
        std::pair{OTF2_MAPPING_GROUP, &maps.groups},
        std::pair{OTF2_MAPPING_CALLING_CONTEXT, &maps.call_paths}}) {
    good = write_table(writer, static_cast<OTF2_MappingType>(type), *ids) && good;
  }
  for (const ClockOffset& clock : clocks) {
    const auto deviation = static_cast<double>(clock.error);  // no more than that
    good =
        OTF2_DefWriter_WriteClockOffset(writer, clock.time, clock.offset, deviation) == OTF2_SUCCESS && good;
  }
  return OTF2_Archive_CloseDefWriter(archive, writer) == OTF2_SUCCESS && good;
}

}  // namespace

bool write_local_definitions(OTF2_Archive* archive, std::span<const OTF2_LocationRef> locations,
                             const IdMaps& maps, std::span<const ClockOffset> clocks) {
  if (!set_definition_chunk(maps.definition_chunk)) {
    return false;
  }
  bool good = true;
  for (const OTF2_LocationRef location : locations) {
    good = write_location(archive, location, maps, clocks) && good;
  }
  return good;
}

}  // namespace waitprof::archive
