// An OTF2 archive -> Trace: definitions, then one location after another through the library's local readers.
// (The library's global reader sorts all locations by time, which is not needed here, and is several times
// slower.)
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <span>

#include "analyzer/formats/read/archive_code.hpp"
#include "analyzer/formats/read/archive_definitions.hpp"
#include "analyzer/formats/read/archive_events.hpp"
#include "analyzer/formats/read/archive_path.hpp"
#include "analyzer/formats/read/archive_places.hpp"
#include "analyzer/formats/read/event_files.hpp"
#include "analyzer/formats/read/file_checks.hpp"
#include "analyzer/formats/read/location_reader.hpp"
#include "analyzer/formats/read/otf2_session.hpp"
#include "analyzer/formats/read/read.hpp"
#include "analyzer/formats/read/record_scan.hpp"
#include "analyzer/formats/symbols/symbols.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/parallel/pool.hpp"
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
    const ArchiveCommunicators communicators(definitions_, builder_);
    std::optional<Symbols> symbols;
    if (options_.resolve_symbols) symbols.emplace();
    ArchiveCode code(definitions_, builder_, symbols ? &*symbols : nullptr);
    if (symbols) report_troubles(*symbols);
    read_locations(locations, code, communicators);
    code.report_undefined();
    return builder_.build();
  }

 private:
  void read_facts() {
    RunFacts& facts = builder_.facts();
    facts.creator = archive_creator(reader_.get());
    facts.properties = archive_properties(reader_.get());
    if (!facts.creator.starts_with("waitdiag")) builder_.regions_are_nested();
    const auto property = [&](const char* name) {
      const auto found = facts.properties.find(name);
      return found == facts.properties.end() ? std::string() : found->second;
    };
    facts.program = property(schema::kProgram);
    facts.mpi = property(schema::kMpi);
    facts.communication_complete = property(schema::kCommunicationComplete) != "false";
    facts.excerpts = property(schema::kProfile) == "light";
    if (!facts.communication_complete && !facts.excerpts) {
      builder_.anomalies().add(
          "communication_incomplete", Gravity::Warning,
          "the recorder says that not all communication was recorded (filters, pauses, limits): "
          "waits for what is missing are unknown");
    }
    if (const std::string filter = property(schema::kMpiFilter); !filter.empty()) {
      builder_.anomalies().add(
          "filtered_calls", Gravity::Warning,
          "MPI functions of these groups were not recorded (WAITPROF_FILTER_MPI), the time "
          "in them counts as computation: " +
              filter);
    }
    report_selection(property);
    report_other_tools(property);
    report_counts(property);
  }

  // What was not recorded on purpose, and matters little.
  template <typename Property>
  void report_selection(const Property& property) {
    if (const std::string filter = property(schema::kFunctionFilter); !filter.empty()) {
      const std::string count = property(schema::kFilteredRegions);
      builder_.anomalies().add("filtered_functions", Gravity::Info,
                               (count.empty() ? "an unknown number of" : count) +
                                   " calls of functions and regions were not recorded "
                                   "(WAITPROF_FILTER_FUNCTIONS=" +
                                   filter + "), the time in them counts for their callers");
    }
    if (const std::string ranks = property(schema::kSamplingRanks); !ranks.empty()) {
      builder_.anomalies().add("sampled_ranks", Gravity::Info,
                               "the computation was sampled on some ranks only (WAITPROF_SAMPLING_RANKS=" +
                                   ranks + "); elsewhere it counts for the functions that called MPI");
    }
  }

  template <typename Property>
  void report_other_tools(const Property& property) {
    if (const std::string tool = property(schema::kToolInFront); !tool.empty()) {
      builder_.anomalies().add(
          "tool_in_front", Gravity::Serious,
          "another MPI tool took the program's calls in front of the recorder, which did "
          "not see them: " +
              tool +
              "; put libwaitprof.so before it in LD_PRELOAD, or do without what is linked "
              "into the program");
    }
    if (const std::string tool = property(schema::kToolBehind); !tool.empty()) {
      builder_.anomalies().add("tool_behind", Gravity::Warning,
                               "another MPI tool saw the calls as well, its time counts as MPI's: " + tool);
    }
  }

  // What the recorder counted about itself.
  template <typename Property>
  void report_counts(const Property& property) {
    static constexpr struct {
      const char *property, *id;
      Gravity gravity;
      const char* text;
    } kCounts[] = {
        {schema::kDroppedEvents, "dropped_events", Gravity::Serious, "events were dropped while recording"},
        {schema::kDroppedSamples, "dropped_samples", Gravity::Warning, "samples were dropped"},
        {schema::kUnsampledThreads, "unsampled_threads", Gravity::Info,
         "threads that never call MPI were not sampled: a rank had more of them than the recorder samples"},
        {schema::kClampedTimes, "clamped_times", Gravity::Info, "events were moved to keep times in order"},
        {schema::kUnknownFrames, "unknown_frames", Gravity::Info, "call path nodes lie in no loaded module"},
        {schema::kTruncatedCallPaths, "truncated_call_paths", Gravity::Info,
         "call paths were deeper than the recorder's limit and lack their outermost frames"},
        {schema::kLostCallPaths, "lost_call_paths", Gravity::Warning,
         "calls and samples have no call path, since a rank had more different ones than the recorder keeps: "
         "WAITPROF_CALLPATH_DEPTH lower makes them fewer"},
        {schema::kLostRegions, "lost_regions", Gravity::Warning,
         "regions of the program's own were not recorded: a rank had more than 65536 different ones, or 2 "
         "MiB of names, nested them more than 256 deep, or ended some that it had not begun"},
        {schema::kRegionsWithoutMpi, "regions_without_mpi", Gravity::Info,
         "regions of the program's own were not recorded: they ended before MPI_Init, or in threads that had "
         "not called MPI by then; the computation of such threads is known by samples only"},
        {schema::kLostHandles, "lost_communicators", Gravity::Warning,
         "communicators, windows and files are not in the recording, since a rank made more of them than the "
         "recorder keeps: what went over them is missing"},
        {schema::kLostSwitches, "lost_switches", Gravity::Info,
         "times that a thread left a processor or came back found no room in the kernel's notes; time in "
         "which that happened counts as perhaps off the processor"},
        {schema::kUntimedOperators, "untimed_operators", Gravity::Info,
         "reduction operators of the program were not timed, since a rank made more than 256 of them: their "
         "time is that of the calls in which MPI ran them"},
        {schema::kCutShortCalls, "cut_short_calls", Gravity::Warning,
         "system calls ended with EINTR upon a sample; their threads have no more: use --sampling cpu"},
        {schema::kParentProcesses, "spawned_job", Gravity::Info,
         "processes of another job started this one with MPI_Comm_spawn; they are in the archive of that "
         "job, not in this one"},
        {schema::kSpawnedProcesses, "spawned_processes", Gravity::Info,
         "processes were started with MPI_Comm_spawn: they are a job with an archive of its own, beside this "
         "one (same name with -2, -3 ..., or their program's name)"},
        {schema::kConnectedProcesses, "connected_processes", Gravity::Info,
         "processes of other jobs were connected (MPI_Comm_accept, connect, join); those have archives of "
         "their own"},
        {schema::kFailedPolls, "failed_polls", Gravity::Info,
         "polls (MPI_Test, MPI_Iprobe and the like) found nothing: they are counted, but not among the "
         "calls, where a row of them is one"},
        {schema::kUntracked, "untracked_communication", Gravity::Warning,
         "messages and collectives were not recorded: with processes of other jobs, or in callbacks of MPI "
         "(error handlers, reductions, attributes), or over communicators that are not kept; nobody knows "
         "who waited for whom in them"},
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
    if (FileChecks(builder_.facts().properties)
            .differ(schema::kGlobalDefinitions, file, &schema::LocationChecks::definitions))
      builder_.anomalies().add("changed_files", Gravity::Serious,
                               "the definitions " + file.filename().string() +
                                   " are not those that were written (their checksums differ)");
    const bool all_read = read_definitions(reader_.get(), scan.records, definitions_);
    builder_.facts().clock_resolution = definitions_.resolution;
    doubt_clock(definitions_.told_resolution, builder_.anomalies());
    std::uint64_t promised = 0;
    OTF2_Reader_GetNumberOfGlobalDefinitions(reader_.get(), &promised);
    if (all_read && scan.complete && scan.records == promised) return;
    builder_.anomalies().add("damaged_definitions", Gravity::Serious,
                             "only a part of " + file.filename().string() + " could be read: " +
                                 (scan.complete ? complaints_.take() : "the file " + scan.trouble));
  }

  void report_troubles(const Symbols& symbols) {
    for (const Symbols::Trouble& trouble : symbols.troubles()) {
      builder_.anomalies().add("modules_not_found", Gravity::Info,
                               "names as recorded, without files and lines, for code of " + trouble.module +
                                   " (" + trouble.reason + ")");
    }
  }

  // All locations, several at a time: what a location has in its files depends on no other.
  void read_locations(const std::vector<RecordedLocation>& locations, const ArchiveCode& code,
                      const ArchiveCommunicators& communicators) {
    const std::vector<EventFile> files = look_at_event_files(anchor_, event_chunk_, locations, builder_);
    const auto peer_lists = add_peer_lists(definitions_, builder_);
    const EventContext common{.builder = builder_,
                              .code = code,
                              .communicators = communicators,
                              .definitions = definitions_,
                              .peer_lists = peer_lists,
                              .flush_region = builder_.region({.name = kFlushRegion}),
                              .limit = common_end(files)};
    builder_.measurement_off();
    const bool threads =
        std::ranges::any_of(locations, [](const RecordedLocation& one) { return one.id >> 32 != 0; });
    if (threads || definitions_.presence_parameter != OTF2_UNDEFINED_PARAMETER) builder_.off_regions();
    std::vector<LocationRead> reads(locations.size());
    std::deque<Pool<LocationReader>> readers;  // of neighbouring locations
    for (auto rest = std::span(locations); !rest.empty();) {
      const auto few = rest.first(std::min(rest.size(), LocationReader::kFew));
      readers.emplace_back(
          [this, few] { return std::make_unique<LocationReader>(anchor_, complaints_, few); });
      rest = rest.subspan(few.size());
    }
    for_each_index(locations.size(), [&](std::size_t i) {
      EventContext context = common;
      context.location = locations[i].location;
      context.rank = locations[i].rank;
      builder_.expect(context.location, files[i].counts);
      readers[i / LocationReader::kFew].with([&](LocationReader& reader) {
        reads[i] = reader.read(locations[i], files[i].readable, context,
                               [&](std::uint64_t count) { advance(count); });
      });
      builder_.finish(context.location);
    });
    report(common.limit, locations, files, reads);
  }

  // Where the first cut-off file ends: later events of the other locations have nothing to be compared with.
  Time common_end(const std::vector<EventFile>& files) {
    Time end = end_at_limit();
    for (const EventFile& file : files) {
      if (!file.cut_off || file.readable == 0) continue;
      LocationReader reader(anchor_, complaints_, {&file.location, 1});
      end = std::min(end, reader.last_time(file.location, file.readable, definitions_));
    }
    return end;
  }

  // When the first rank's recorder stopped because of the archive's size. Less the clocks' error, by which
  // times may be off.
  Time end_at_limit() {
    const auto number = [&](const char* name) {
      const auto found = builder_.facts().properties.find(name);
      const char* const text = found != builder_.facts().properties.end() ? found->second.c_str() : "0";
      return std::strtoull(text, nullptr, 10);
    };
    const std::uint64_t ticks = number(schema::kLimitTime), error = number(schema::kClockError);
    if (ticks <= error) return Time::max();
    const Time end = to_time(ticks - error, definitions_.clock_offset, definitions_.resolution);
    const double before = seconds(end - Time{}),
                 after = static_cast<double>(number(schema::kLimitLeftOut)) * 1e-9;
    char text[320];
    std::snprintf(text, sizeof text,
                  "rank %llu reached WAITPROF_LIMIT_MIB=%llu: only the first %.6f s were analysed; what all "
                  "ranks did in "
                  "the remaining %.6f s (%.1f %% of the run) was left out",
                  number(schema::kLimitRank), number(schema::kLimitMib), before, after,
                  100 * after / (before + after));
    builder_.anomalies().add("recording_limit", Gravity::Serious, text);
    return end;
  }

  void report(Time limit, const std::vector<RecordedLocation>& locations, const std::vector<EventFile>& files,
              const std::vector<LocationRead>& reads) {
    report_local_definitions(locations, reads);
    report_presence(reads);
    const bool damaged =
        std::any_of(files.begin(), files.end(), [](const EventFile& file) { return file.cut_off; });
    if (limit != Time::max() && damaged) report_cut_off(limit, files, reads);
    std::string program;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      if (!reads[i].program.empty()) program = reads[i].program;
      const std::uint64_t readable = files[i].readable;
      if (reads[i].events >= readable || reads[i].stopped_at_limit) continue;
      builder_.facts().communication_complete = false;
      builder_.anomalies().add("unreadable_events", Gravity::Serious,
                               "rank " + std::to_string(static_cast<int>(locations[i].rank)) + ": only " +
                                   std::to_string(reads[i].events) + " of " + std::to_string(readable) +
                                   " events could be read (" + reads[i].complaint + "); the file is damaged",
                               readable - reads[i].events);
    }
    if (builder_.facts().program.empty()) builder_.facts().program = fs::path(program).filename().string();
  }

  void report_presence(const std::vector<LocationRead>& reads) {
    constexpr std::uint64_t kSums = 1;
    const auto sums = std::ranges::count(reads, kSums, &LocationRead::presence);
    if (sums > 0)
      builder_.anomalies().add(
          "presence_by_clocks", Gravity::Info,
          "threads of which it is known for how long they were off the processor between MPI "
          "calls half a millisecond apart, but not when (`waitdiag doctor` says why)",
          static_cast<std::uint64_t>(sums));
  }

  void report_cut_off(Time limit, const std::vector<EventFile>& files,
                      const std::vector<LocationRead>& reads) {
    std::uint64_t recorded = 0, analysed = 0;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      recorded += std::max(files[i].location.events, files[i].readable);
      analysed += reads[i].events;
    }
    const double share = 100 * (1 - static_cast<double>(analysed) / static_cast<double>(recorded));
    char left_out[64];
    std::snprintf(left_out, sizeof left_out, "%.6f s of the run were analysed; %.1f %%",
                  seconds(limit - Time{}), share);
    builder_.anomalies().add(
        "analysis_cut_off", Gravity::Serious,
        "event files end early, so only the first " + std::string(left_out) + " of the events were left out");
  }

  // Score-P's archives number things differently on every rank and correct clocks afterwards: both are stated
  // there.
  void report_local_definitions(const std::vector<RecordedLocation>& locations,
                                const std::vector<LocationRead>& reads) {
    const FileChecks checks(builder_.facts().properties);
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      missing += reads[i].definitions_missing;
      const fs::path file = local_file(anchor_, locations[i].id, ".def");
      if (checks.differ(locations[i].id, file, &schema::LocationChecks::definitions))
        builder_.anomalies().add("changed_files", Gravity::Serious,
                                 "rank " + std::to_string(static_cast<int>(locations[i].rank)) +
                                     ": definition file " + file.filename().string() +
                                     " is not the one that was written (their checksums differ)");
      if (!reads[i].definitions_damaged) continue;
      builder_.anomalies().add(
          "damaged_local_definitions", Gravity::Serious,
          "local definitions could not be read completely, so ids and clock corrections may be "
          "wrong; first: " +
              file.filename().string());
    }
    if (missing == 0) return;
    const std::string& creator = builder_.facts().creator;
    const bool always_written = creator.starts_with("waitprof") || creator.starts_with("Score-P");
    const bool all = missing == locations.size(), none_written = all && !always_written;
    builder_.anomalies().add(
        "missing_local_definitions", none_written ? Gravity::Info : Gravity::Serious,
        none_written ? std::string("the archive has no local definitions: clocks are taken as synchronised")
                     : std::string(all ? "all" : "some") +
                           " local definition files are missing: names and clock corrections may be wrong",
        missing);
  }

  void advance(std::uint64_t events) {
    if (!options_.progress) return;
    const std::lock_guard lock(progress_mutex_);
    events_read_ += events;
    options_.progress(static_cast<double>(events_read_) / static_cast<double>(builder_.facts().events));
  }

  fs::path anchor_;
  const ReadOptions& options_;
  Otf2Complaints complaints_;
  Otf2Reader reader_;
  std::uint64_t event_chunk_ = 0, definition_chunk_ = 0;
  TraceBuilder builder_;
  ArchiveDefinitions definitions_;
  std::mutex progress_mutex_;
  std::uint64_t events_read_ = 0;
};

}  // namespace

Trace read_archive(const fs::path& anchor_or_directory, const ReadOptions& options) {
  return ArchiveReader(find_anchor(anchor_or_directory), options).read();
}

}  // namespace waitdiag
