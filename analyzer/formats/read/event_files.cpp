// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/event_files.hpp"

#include <array>
#include <cstdio>

#include "analyzer/formats/read/archive_path.hpp"
#include "analyzer/formats/read/file_checks.hpp"
#include "analyzer/formats/read/record_scan.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

std::string place(const RecordedLocation& location, const std::filesystem::path& file) {
  return "rank " + std::to_string(static_cast<int>(location.rank)) + ": event file " +
         file.filename().string();
}

std::string share(std::uint64_t readable, std::uint64_t promised) {
  return " (" + std::to_string(readable) + " of " + std::to_string(promised) + " events can be read)";
}

// Compares what is in the file with what the definitions promise; false: nothing can be read.
bool judge(const RecordScan& scan, const RecordedLocation& location, const std::filesystem::path& file,
           Anomalies& anomalies) {
  const std::string where = place(location, file);
  if (!scan.exists || (scan.records == 0 && location.events > 0)) {
    if (location.events == 0) return false;  // a thread without events needs no file
    anomalies.add("missing_event_files", Gravity::Serious,
                  where + (scan.exists ? " cannot be read: " + scan.trouble : " is missing") +
                      share(0, location.events));
    return false;
  }
  if (!scan.complete) {
    anomalies.add("cut_off_event_files", Gravity::Serious,
                  where + " " + scan.trouble + share(scan.records, location.events));
  } else if (scan.records != location.events) {
    anomalies.add("event_counts_differ", Gravity::Serious,
                  where + " does not have the number of events its definition says" +
                      share(scan.records, location.events));
  }
  return scan.records > 0;
}

RecordCounts counts_of(const RecordScan& scan) {
  // Types of OTF2 3.0.
  constexpr std::size_t kEnter = 12, kSend = 14, kIsend = 15, kIrecvRequest = 17, kRecv = 18,
                        kCollectiveEnd = 23, kContextEnter = 66;
  const auto& of = scan.by_type;
  return {.enters = of[kEnter] + of[kContextEnter],
          .sends = of[kSend] + of[kIsend],
          .receives = of[kRecv] + of[kIrecvRequest],
          .collectives = of[kCollectiveEnd]};
}

}  // namespace

std::vector<EventFile> look_at_event_files(const std::filesystem::path& anchor, std::uint64_t chunk_size,
                                           const std::vector<RecordedLocation>& locations,
                                           TraceBuilder& builder) {
  const FileChecks checks(builder.facts().properties);
  std::vector<RecordScan> scans(locations.size());
  std::vector<std::uint8_t> changed(locations.size());
  for_each_index(locations.size(), [&](std::size_t i) {
    const std::filesystem::path file = local_file(anchor, locations[i].id, ".evt");
    scans[i] = scan_records(file, RecordFile::Events, chunk_size);
    changed[i] =
        scans[i].complete && checks.differ(locations[i].id, file, &waitprof::schema::LocationChecks::events);
  });
  std::vector<EventFile> files;
  std::array<std::uint64_t, 256> by_type{};
  std::uint64_t total = 0, promised = 0, missing = 0;
  std::size_t missing_files = 0;
  for (std::size_t i = 0; i < locations.size(); ++i) {
    const RecordedLocation& location = locations[i];
    const RecordScan& scan = scans[i];
    if (!judge(scan, location, local_file(anchor, location.id, ".evt"), builder.anomalies())) {
      if (location.events > 0) {
        builder.facts().communication_complete = false;
        ++missing_files;
        missing += location.events;
        promised += location.events;
      }
      files.push_back({location});
      continue;
    }
    if (changed[i] != 0)
      builder.anomalies().add("changed_files", Gravity::Serious,
                              place(location, local_file(anchor, location.id, ".evt")) +
                                  " is not the one that was written (their checksums differ)");
    const bool cut_off = !scan.complete || scan.records < location.events;
    if (cut_off) builder.facts().communication_complete = false;
    files.push_back({location, scan.records, cut_off, counts_of(scan)});
    for (std::size_t type = 0; type < by_type.size(); ++type) by_type[type] += scan.by_type[type];
    total += scan.records;
    promised += location.events;
  }
  if (total == 0) {
    const auto& all = builder.anomalies().all();
    throw TraceError("no event can be read from " + anchor.string() + ": " +
                     (all.empty() ? "the archive is empty" : all.back().text) +
                     "; was the recording cut off? check the files, or record it again");
  }
  if (missing > 0) {
    char share[32];
    std::snprintf(share, sizeof share, "%.1f",
                  100 * static_cast<double>(missing) / static_cast<double>(promised));
    builder.anomalies().add("files_left_out", Gravity::Serious,
                            "nothing is known of " + std::to_string(missing_files) + " of " +
                                std::to_string(locations.size()) + " event files (" + share +
                                " % of the events): efficiencies are those of the other ranks, and what "
                                "these did together with the missing ones is left out");
  }
  for (std::size_t type = 0; type < by_type.size(); ++type) {
    const char* const name = skipped_event_name(static_cast<std::uint8_t>(type));
    if (name != nullptr && by_type[type] > 0) builder.skipped(name, by_type[type]);
  }
  builder.facts().events = total;
  return files;
}

}  // namespace waitdiag
