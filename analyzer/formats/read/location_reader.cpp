// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/location_reader.hpp"

#include <memory>

#include "analyzer/formats/read/archive_path.hpp"
#include "analyzer/formats/read/record_scan.hpp"

namespace waitdiag {
namespace {

// Notes whether the library has anything to change in the events.
struct DeleteLocalDefinitionCallbacks {
  void operator()(OTF2_DefReaderCallbacks* callbacks) const { OTF2_DefReaderCallbacks_Delete(callbacks); }
};
using LocalDefinitionCallbacks = std::unique_ptr<OTF2_DefReaderCallbacks, DeleteLocalDefinitionCallbacks>;

LocalDefinitionCallbacks note_corrections() {
  LocalDefinitionCallbacks made(OTF2_DefReaderCallbacks_New());
  OTF2_DefReaderCallbacks_SetMappingTableCallback(
      made.get(), [](void* user, OTF2_MappingType, const OTF2_IdMap*) -> OTF2_CallbackCode {
        static_cast<LocationRead*>(user)->has_id_mappings = true;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_DefReaderCallbacks_SetClockOffsetCallback(
      made.get(), [](void* user, OTF2_TimeStamp, std::int64_t, double) -> OTF2_CallbackCode {
        static_cast<LocationRead*>(user)->has_clock_corrections = true;
        return OTF2_CALLBACK_SUCCESS;
      });
  return made;
}

// Looking for corrections that do not exist costs the library time with every event and every reference.
void leave_out_corrections(OTF2_EvtReader* events, const LocationRead& definitions) {
  if (!definitions.has_id_mappings) OTF2_EvtReader_ApplyMappingTables(events, false);
  if (!definitions.has_clock_corrections) OTF2_EvtReader_ApplyClockOffsets(events, false);
}

}  // namespace

LocationReader::LocationReader(const std::filesystem::path& anchor, Otf2Complaints& complaints,
                               std::span<const RecordedLocation> locations)
    : anchor_(anchor), complaints_(complaints), reader_(open_archive(anchor, complaints)) {
  std::uint64_t event_chunk = 0;
  OTF2_Reader_GetChunkSize(reader_.get(), &event_chunk, &definition_chunk_);
  for (const RecordedLocation& location : locations) OTF2_Reader_SelectLocation(reader_.get(), location.id);
  OTF2_Reader_OpenDefFiles(reader_.get());
  OTF2_Reader_OpenEvtFiles(reader_.get());
}

void LocationReader::read_definitions(const RecordedLocation& location, LocationRead& result) {
  const RecordScan scan =
      scan_records(local_file(anchor_, location.id, ".def"), RecordFile::LocalDefinitions, definition_chunk_);
  result.definitions_missing = !scan.exists;
  if (!scan.exists) return;
  std::uint64_t read = 0;
  // Most files have no record, and a reader would clear as much memory as the longest may have in a chunk.
  if (scan.records == 0) {
    result.definitions_damaged = !scan.complete;
    return;
  }
  if (OTF2_DefReader* const definitions = OTF2_Reader_GetDefReader(reader_.get(), location.id)) {
    const LocalDefinitionCallbacks callbacks = note_corrections();
    OTF2_Reader_RegisterDefCallbacks(reader_.get(), definitions, callbacks.get(), &result);
    OTF2_Reader_ReadLocalDefinitions(reader_.get(), definitions, scan.records, &read);
    OTF2_Reader_CloseDefReader(reader_.get(), definitions);
  }
  result.definitions_damaged = !scan.complete || read < scan.records;
}

LocationRead LocationReader::read(const RecordedLocation& location, std::uint64_t events,
                                  EventContext& context, const std::function<void(std::uint64_t)>& progress) {
  LocationRead result;
  read_definitions(location, result);
  complaints_.take();  // complaints about the definitions are reported by their count
  if (events == 0) return result;
  if (OTF2_EvtReader* const reader = OTF2_Reader_GetEvtReader(reader_.get(), location.id)) {
    leave_out_corrections(reader, result);
    result.events = read_events(reader_.get(), reader, events, context, progress);
    OTF2_Reader_CloseEvtReader(reader_.get(), reader);
  }
  result.stopped_at_limit = context.stopped;
  result.complaint = complaints_.take();
  result.program = std::move(context.program);
  result.presence = context.presence;
  return result;
}

Time LocationReader::last_time(const RecordedLocation& location, std::uint64_t events,
                               const ArchiveDefinitions& definitions) {
  LocationRead ignored;
  read_definitions(location, ignored);
  OTF2_EvtReader* const reader = OTF2_Reader_GetEvtReader(reader_.get(), location.id);
  if (reader == nullptr) return Time::max();
  const Time last = waitdiag::last_time(reader_.get(), reader, events, definitions);
  OTF2_Reader_CloseEvtReader(reader_.get(), reader);
  return last;
}

}  // namespace waitdiag
