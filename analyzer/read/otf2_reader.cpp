// An OTF2 archive -> Trace: definitions, then one location after another through the library's local readers.
// (The library's global reader sorts all locations by time, which nobody needs here, and is several times
// slower.)
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "analyzer/model/trace_error.hpp"
#include "analyzer/read/archive_code.hpp"
#include "analyzer/read/archive_definitions.hpp"
#include "analyzer/read/archive_events.hpp"
#include "analyzer/read/archive_path.hpp"
#include "analyzer/read/archive_places.hpp"
#include "analyzer/read/event_files.hpp"
#include "analyzer/read/otf2_session.hpp"
#include "analyzer/read/read.hpp"
#include "analyzer/read/record_scan.hpp"
#include "analyzer/read/symbols.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

namespace fs = std::filesystem;
namespace schema = waitprof::schema;

class ArchiveReader {
 public:
  ArchiveReader(fs::path anchor, const ReadOptions& options)
      : anchor_(std::move(anchor)), options_(options), reader_(open_archive(anchor_, complaints_)) {
    OTF2_Reader_GetChunkSize(reader_.get(), &event_chunk_, &definition_chunk_);
  }

  Trace read() {
    read_facts();
    read_global_definitions();
    const std::vector<RecordedLocation> locations = add_locations(definitions_, builder_);
    if (locations.empty()) {
      throw TraceError(
          "the archive " + anchor_.string() +
          " names no process: its definitions are damaged or it was not closed; record it again");
    }
    for (const RecordedLocation& location : locations) OTF2_Reader_SelectLocation(reader_.get(), location.id);
    read_local_definitions(locations);
    const ArchiveCommunicators communicators(definitions_, builder_);
    std::optional<Symbols> symbols;
    if (options_.resolve_symbols) symbols.emplace();
    ArchiveCode code(definitions_, builder_, symbols ? &*symbols : nullptr);
    if (symbols) report_troubles(*symbols);
    read_all_events(locations, code, communicators);
    return builder_.build();
  }

 private:
  void read_facts() {
    RunFacts& facts = builder_.facts();
    facts.creator = archive_creator(reader_.get());
    facts.properties = archive_properties(reader_.get());
    const auto property = [&](const char* name) {
      const auto found = facts.properties.find(name);
      return found == facts.properties.end() ? std::string() : found->second;
    };
    facts.program = property(schema::kProgram);
    facts.mpi = property(schema::kMpi);
    facts.communication_complete = property(schema::kCommunicationComplete) != "false";
    report_counts(property);
  }

  // What the recorder counted about itself.
  template <typename Property>
  void report_counts(const Property& property) {
    static constexpr struct {
      const char* property;
      const char* id;
      Gravity gravity;
      const char* text;
    } kCounts[] = {
        {schema::kDroppedEvents, "dropped_events", Gravity::Serious, "events were dropped while recording"},
        {schema::kDroppedSamples, "dropped_samples", Gravity::Warning,
         "samples were dropped while recording"},
        {schema::kClampedTimes, "clamped_times", Gravity::Info,
         "events were moved to keep the order of time"},
        {schema::kUnknownFrames, "unknown_frames", Gravity::Info, "call path nodes lie in no loaded module"},
        {schema::kTruncatedCallPaths, "truncated_call_paths", Gravity::Info,
         "call paths were deeper than the recorder's limit and lack their outermost frames"},
    };
    for (const auto& counted : kCounts) {
      const std::uint64_t count = std::strtoull(property(counted.property).c_str(), nullptr, 10);
      if (count > 0) builder_.anomalies().add(counted.id, counted.gravity, counted.text, count);
    }
  }

  void read_global_definitions() {
    const fs::path file = global_definitions_file(anchor_);
    const RecordScan scan = scan_records(file, RecordFile::Definitions, definition_chunk_);
    if (!scan.exists || scan.records == 0) {
      throw TraceError("cannot read the definitions " + file.string() + ": " +
                       (scan.exists ? "the file " + scan.trouble : scan.trouble) +
                       "; was the recording cut off, or a file not copied?");
    }
    const bool all_read = read_definitions(reader_.get(), scan.records, definitions_);
    builder_.facts().clock_resolution = definitions_.resolution;
    std::uint64_t promised = 0;
    OTF2_Reader_GetNumberOfGlobalDefinitions(reader_.get(), &promised);
    if (all_read && scan.complete && scan.records == promised) return;
    builder_.anomalies().add("damaged_definitions", Gravity::Serious,
                             "only a part of " + file.filename().string() + " could be read: " +
                                 (scan.complete ? complaints_.take() : "the file " + scan.trouble));
  }

  // Score-P's archives number things differently on every rank and correct clocks afterwards: both is said
  // here.
  void read_local_definitions(const std::vector<RecordedLocation>& locations) {
    std::uint64_t missing = 0;
    OTF2_Reader_OpenDefFiles(reader_.get());
    for (const RecordedLocation& location : locations) {
      const fs::path file = local_file(anchor_, location.id, ".def");
      const RecordScan scan = scan_records(file, RecordFile::Definitions, definition_chunk_);
      if (!scan.exists) {
        ++missing;
        continue;
      }
      OTF2_DefReader* const definitions = OTF2_Reader_GetDefReader(reader_.get(), location.id);
      std::uint64_t read = 0;
      if (definitions != nullptr) {
        OTF2_Reader_ReadLocalDefinitions(reader_.get(), definitions, scan.records, &read);
        OTF2_Reader_CloseDefReader(reader_.get(), definitions);
      }
      if (scan.complete && read == scan.records) continue;
      builder_.anomalies().add(
          "damaged_local_definitions", Gravity::Serious,
          "local definitions could not be read completely, so ids and clock corrections may be "
          "wrong; first: " +
              file.filename().string());
    }
    OTF2_Reader_CloseDefFiles(reader_.get());
    if (missing == 0) return;
    const bool all = missing == locations.size();
    builder_.anomalies().add(
        "missing_local_definitions", all ? Gravity::Info : Gravity::Serious,
        all ? "the archive has no local definitions: clocks are taken as synchronised"
            : "some local definition files are missing: ids and clock corrections may be wrong",
        missing);
  }

  void report_troubles(const Symbols& symbols) {
    for (const Symbols::Trouble& trouble : symbols.troubles()) {
      builder_.anomalies().add("modules_not_found", Gravity::Info,
                               "names as recorded, without files and lines, for code of " + trouble.module +
                                   " (" + trouble.reason + ")");
    }
  }

  void read_all_events(const std::vector<RecordedLocation>& locations, ArchiveCode& code,
                       const ArchiveCommunicators& communicators) {
    const std::vector<EventFile> files = look_at_event_files(anchor_, event_chunk_, locations, builder_);
    OTF2_Reader_OpenEvtFiles(reader_.get());
    const Time limit = common_end(files);
    EventContext context{.builder = builder_,
                         .code = code,
                         .communicators = communicators,
                         .definitions = definitions_,
                         .flush_region = flush_region()};
    context.limit = limit;
    for (const EventFile& file : files) read_location(file, context);
    OTF2_Reader_CloseEvtFiles(reader_.get());
    if (builder_.facts().program.empty()) {
      builder_.facts().program = fs::path(context.program).filename().string();
    }
  }

  RegionId flush_region() { return builder_.region({.name = "TRACE BUFFER FLUSH"}); }

  // Where the first cut-off file ends: later events of the others have nobody to be compared with.
  Time common_end(const std::vector<EventFile>& files) {
    Time end = Time::max();
    for (const EventFile& file : files) {
      if (!file.cut_off) continue;
      OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader_.get(), file.location.id);
      if (events == nullptr) continue;
      end = std::min(end, last_time(reader_.get(), events, file.readable, definitions_));
      OTF2_Reader_CloseEvtReader(reader_.get(), events);
    }
    if (end != Time::max()) {
      builder_.anomalies().add("analysis_cut_off", Gravity::Serious,
                               "event files end early, so only the first " +
                                   std::to_string(seconds(end - Time{})) + " s of the run were analysed");
    }
    return end;
  }

  void read_location(const EventFile& file, EventContext& context) {
    context.location = file.location.location;
    context.rank = file.location.rank;
    context.stopped = false;
    OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader_.get(), file.location.id);
    std::uint64_t read = 0;
    if (events != nullptr) {
      read = read_events(reader_.get(), events, file.readable, context,
                         [&](std::uint64_t count) { advance(count); });
      OTF2_Reader_CloseEvtReader(reader_.get(), events);
    }
    if (read < file.readable && !context.stopped) {
      builder_.facts().communication_complete = false;
      builder_.anomalies().add("unreadable_events", Gravity::Serious,
                               "rank " + std::to_string(static_cast<int>(context.rank)) + ": only " +
                                   std::to_string(read) + " of " + std::to_string(file.readable) +
                                   " events could be read (" + complaints_.take() + "); the file is damaged",
                               file.readable - read);
    }
    builder_.finish(context.location);
  }

  void advance(std::uint64_t events) {
    events_read_ += events;
    if (options_.progress) {
      options_.progress(static_cast<double>(events_read_) / static_cast<double>(builder_.facts().events));
    }
  }

  fs::path anchor_;
  const ReadOptions& options_;
  Otf2Complaints complaints_;
  Otf2Reader reader_;
  std::uint64_t event_chunk_ = 0, definition_chunk_ = 0;
  TraceBuilder builder_;
  ArchiveDefinitions definitions_;
  std::uint64_t events_read_ = 0;
};

}  // namespace

Trace read_archive(const fs::path& anchor_or_directory, const ReadOptions& options) {
  return ArchiveReader(find_anchor(anchor_or_directory), options).read();
}

}  // namespace waitdiag
