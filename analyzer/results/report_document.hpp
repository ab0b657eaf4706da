// The fields of a report, second part: everything besides waits and causes, and the whole document.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/results/report_fields.hpp"
#include "analyzer/results/resource_fields.hpp"

namespace waitdiag {

void fields(auto& visit, Of<Report::ReplayedGains> auto& gains) {
  visit("replayed", gains.replayed, "causes");
  visit("retimed", gains.retimed,
        "causes that lie inside of MPI calls, whose time a replay finds out by itself");
  visit("error", gains.error, "run time of the unchanged replay / recorded run time - 1", kSigned);
  visit("refused", gains.refused, "why no cause was replayed; or empty");
}

void fields(auto& visit, Of<Report::LateStart> auto& start) {
  visit("rank", start.rank);
  visit("late_s", start.late_s, "after the first rank");
  visit("stayed_s", start.stayed_s, "of all others, in MPI_Init");
}

void fields(auto& visit, Of<Report::CriticalPath::Entry> auto& entry) {
  visit("call_path", entry.call_path);
  visit("seconds", entry.seconds, "on the path");
  visit("imbalance_s", entry.imbalance_s, "more than an average rank spends in it, waiting taken out");
  visit("function", entry.function, "", kLater);
}

void fields(auto& visit, Of<Report::CriticalPath::Stretch> auto& stretch) {
  visit("from_s", stretch.from_s, "", kSigned);
  visit("to_s", stretch.to_s, "", kSigned);
  visit("rank", stretch.rank, "with most of the path in it");
  visit("share", stretch.share);
}

void fields(auto& visit, Of<Report::CriticalPath> auto& path) {
  visit("total_s", path.total_s, "with late_start_s the run time");
  visit("late_start_s", path.late_start_s,
        "from the run's first event to the first one of the rank on which the path begins");
  visit("by_call_path", path.by_call_path, kByCallPathAbout);
  visit("by_rank", by_rank(path.by_rank),
        "seconds the path stays on a rank; those it never visits are absent");
  visit("over_time", path.over_time, "equal parts of the run, and the rank with most of the path in each");
  visit("changes", path.changes, "times it goes from one rank to another");
}

void fields(auto& visit, Of<Report::DelayCost> auto& cost) {
  visit("pattern", cost.pattern, "", kIdentifier);
  visit("short_s", cost.short_s, "caused at the last synchronisation");
  visit("long_s", cost.long_s, "passed on before it");
  visit("direct_s", cost.direct_s, "caused where the waits were", kSigned);
  visit("indirect_s", cost.indirect_s, "by earlier waits of the causing rank");
  visit("propagating_s", cost.propagating_s, "the part that made the waiting rank late for others");
  visit("terminal_s", cost.terminal_s, "the part that did not", kSigned);
}

void fields(auto& visit, Of<Report::MessageCount> auto& count) {
  visit("messages", count.messages);
  visit("bytes", count.bytes);
}

void fields(auto& visit, Of<Report::MessageSizes> auto& sizes) {
  visit("above_bytes", sizes.above_bytes);
  visit("up_to_bytes", sizes.up_to_bytes, "null: no end");
  visit("same_chip", sizes.same_chip);
  visit("same_node", sizes.same_node, "to another chip of the node, or of ranks that are not bound to one");
  visit("other_node", sizes.other_node);
  visit("unknown_layer", sizes.unknown_layer);
}

void fields(auto& visit, Of<Report::MessagePair> auto& pair) {
  visit("from", pair.from);
  visit("to", pair.to);
  visit("messages", pair.messages);
  visit("bytes", pair.bytes);
}

void fields(auto& visit, Of<Report::CommunicatorUse> auto& use) {
  visit("name", use.name);
  visit("size", use.size);
  visit("messages", use.messages);
  visit("bytes", use.bytes);
  visit("collectives", use.collectives);
  visit("collective_bytes", use.collective_bytes);
  visit("collective_s", use.collective_s, "core time in its collectives");
  visit("waiting_s", use.waiting_s, "in them");
}

void fields(auto& visit, Of<Report::Characteristics> auto& row) {
  visit("part", row.part);
  visit("time_s", row.time_s);
  visit("efficiency", exact(row.efficiency));
  visit("processor_time_s", row.processor_time_s);
  visit("productive_s", row.productive_s);
  visit("lost_s", row.lost_s, "", kSigned);
  visit("communication_s", row.communication_s);
  visit("insufficient_parallelism_s", row.insufficient_parallelism_s, "", kSigned);
  visit("idle_s", row.idle_s, "", kSigned);
  visit("desynchronised_before_s", row.desynchronised_before_s, "", kSigned);
  visit("desynchronised_after_s", row.desynchronised_after_s, "", kSigned);
  visit("overlap_s", row.overlap_s, "", kSigned);
  visit("region", row.region, "as in efficiency_by_part", only_if(!row.region.empty()));
}

void fields(auto& visit, Of<Report::OperationClass> auto& entry) {
  visit("class", entry.id);
  visit("count", entry.count);
  visit("time_s", entry.time_s);
  visit("waiting_s", entry.waiting_s);
  visit("desynchronised_before_s", entry.desynchronised_before_s, "", kSigned);
  visit("desynchronised_after_s", entry.desynchronised_after_s, "", kSigned);
  visit("overlap_s", entry.overlap_s, "", kSigned);
}

void fields(auto& visit, Of<Report::FileAccess> auto& row) {
  visit("calls", row.calls);
  visit("seconds", row.seconds);
  visit("read_bytes", row.read_bytes);
  visit("written_bytes", row.written_bytes);
  visit("call_path", row.call_path, "absent: of all", only_if(!row.call_path.empty()));
}

void fields(auto& visit, Of<Report::Files> auto& files) {
  fields(visit, files.all);
  visit("by_call_path", files.by_call_path, "longest first");
}

void fields(auto& visit, Of<Report::Recording::OfRank> auto& row) {
  visit("rank", row.rank);
  visit("calls", row.calls);
  visit("failed_polls", row.failed_polls,
        "MPI_Test, MPI_Iprobe and the like that found nothing: not among the calls");
  visit("path_s", row.path_s, "for call paths that the recorder did not recognise, and so had to walk");
  visit("flush_s", row.flush_s, "by the clock");
  visit("upkeep_s", row.upkeep_s, "for samples, flushes, and for reading what the process uses", kLater);
  visit(
      "total_s", row.total_s,
      "processor time: path_s, upkeep_s, the calls, the failed polls, and start and end; in archives that do "
      "not say that of start and end, these by the clock, and flush_s");
}

void fields(auto& visit, Of<Report::Recording> auto& recording) {
  visit("call_s", recording.call_s, "of one recorded MPI call, as measured in the run");
  visit("poll_s", recording.poll_s,
        "of one poll that found nothing; that of a call in archives that do not say");
  visit("start_s", recording.start_s, "by the clock, until the recorder was ready, in MPI_Init; 0: not known",
        kLater);
  visit("end_s", recording.end_s, "by the clock, to write the archive, in MPI_Finalize; 0: not known",
        kLater);
  visit("ends_ran_s", recording.ends_ran_s,
        "processor time of start and end; in archives that do not say it, the time by the clock", kLater);
  visit("ranks", recording.ranks);
}

void fields(auto& visit, Of<Report::WorkerThreads::Function> auto& function) {
  visit("function", function.function);
  visit("share", function.share, "of the samples", kShare);
  const FieldTraits known = only_if(!function.file.empty());
  visit("file", function.file, "", known);
  visit("line", function.line, "", known);
}

void fields(auto& visit, Of<Report::WorkerThreads> auto& row) {
  visit("rank", row.rank);
  visit("threads", row.threads, "at the same time, at most");
  visit("samples", row.samples, "sampling periods of processor time");
  visit("cpu_s", row.cpu_s, "processor time by these samples; absent: it is not known how long a period is",
        only_if(row.cpu_s.has_value()));
  visit("functions", row.functions, "largest first");
}

void fields(auto& visit, Of<Report::Remainder> auto& remainder) {
  visit("id", remainder.id, "", kIdentifier);
  visit("seconds", remainder.seconds, "", kSigned);
  visit("text", remainder.text);
}

void fields(auto& visit, Of<Report::ClockViolation> auto& pair) {
  visit("from", pair.from);
  visit("to", pair.to);
  visit("in", pair.in, "", one_of(words::kClocks));
  visit("count", pair.count);
  visit("largest_s", pair.largest_s);
}

void fields(auto& visit, Of<Report::Quality> auto& quality) {
  visit("id", quality.id, "", kIdentifier);
  visit("count", quality.count);
  visit("severity", quality.severity, "", one_of(words::kSeverities));
  visit("text", quality.text);
}

// Fields that only some reports have.
void fields_on_demand(auto& visit, auto& report) {
  visit("whole_run", report.whole_run,
        "only of recordings with WAITPROF_PROFILE=light: the run that the rest of the report shows excerpts "
        "of. "
        "Counts and times are exact; waiting, serialisation and transfer are estimated from the excerpts",
        only_if(report.whole_run.has_value()));
  visit("efficiency_by_replay", report.efficiency_by_replay,
        "all messages and collective operations replayed on an ideal network",
        only_if(report.efficiency_by_replay.has_value()));
  visit("no_efficiency_by_replay", report.no_efficiency_by_replay,
        "instead, where the replay on an ideal network takes longer than the run did",
        only_if(!report.no_efficiency_by_replay.empty()));
  visit("replayed_gains", report.replayed_gains,
        "how gains by replay came about; not there where the run was not replayed (--replay)",
        only_if(report.replayed_gains.has_value()));
  visit(
      "efficiency_by_part", report.efficiency_by_part,
      "the POP tree of each part of the run, where it has time steps or outermost regions of the user's that "
      "all ranks were in; times and critical_path_s of the parts of steps add up",
      only_if(!report.efficiency_by_part.empty()));
  visit("ending", report.ending,
        "only if the run did not come to MPI_Finalize: how it ended, and where everybody was",
        only_if(report.ending.has_value()));
  visit("delay_costs", report.delay_costs, "full model only", only_if(!report.delay_costs.empty()));
  visit("call_sites", keyed(report.call_sites, &Report::CallSite::call_path, &Report::CallSite::calls),
        "MPI calls by call path, over all ranks", only_if(!report.call_sites.empty()));
  visit("late_start", report.late_start,
        "the rank that came to MPI_Init last, where the others spent a hundredth of all time and more there "
        "until it came; that is no waiting time",
        only_if(report.late_start.has_value()));
}

void fields_of_extras(auto& visit, auto& report) {
  visit.group("messages", "on request",
              only_if(!report.message_sizes.empty() || !report.communicators.empty()),
              [&report](auto& inside) {
                inside("by_size", report.message_sizes);
                inside("by_pair", report.message_pairs, "pairs that exchanged anything");
                inside("by_communicator", report.communicators);
              });
  const FieldTraits asked = only_if(!report.characteristics.empty());
  visit("characteristics", report.characteristics,
        "on request: where the processor time of each part of the run went; parts and regions as in "
        "efficiency_by_part, steps in at most ten groups",
        asked);
  visit("operation_classes", report.operation_classes, "on request: what each class of operation cost",
        asked);
  visit.group("resources", "what ranks used of their nodes; absent: was not recorded",
              only_if(!report.rank_resources.empty()), [&report](auto& inside) {
                inside("column_s", report.resources_column_s,
                       "length of the equal parts of the run in *_over_time");
                inside("ranks", report.rank_resources);
                inside("nodes", report.node_resources);
              });
  visit("files", report.files,
        "MPI I/O of all threads together; of nonblocking calls the bytes that were asked for; absent: none",
        only_if(report.files.has_value()));
  visit(
      "off_processor", report.off_processor,
      "ranks whose threads were not on a processor: blocked or preempted, for so long and so often; outside "
      "of MPI, if not said otherwise",
      only_if(!report.off_processor.empty()));
  visit("taken_processors", report.taken_processors,
        "the preempted part of that by node, most first, and who had the processors meanwhile",
        only_if(!report.taken_processors.empty()));
  visit("counters", report.counters,
        "hardware counters: instructions,cycles; or none, and why; absent: the archive does not say",
        only_if(!report.counters.empty()));
  visit("counted", report.counted, "what these counted outside of MPI", only_if(!report.counted.empty()));
  visit("teams", report.teams,
        "teams of threads that ranks opened (OpenMP), as far as they were recorded; absent: none",
        only_if(report.teams.has_value()));
  visit("worker_threads", report.worker_threads,
        "what threads computed that never called MPI, by rank; absent: there were none, or they were not "
        "sampled. They are in no other figure: ranks count by the threads that call MPI",
        only_if(!report.worker_threads.empty()));
  visit("recording", report.recording, "what the recording itself cost; absent: the archive does not say",
        only_if(report.recording.has_value()));
}

void fields(auto& visit, Of<Report> auto& report) {
  visit("run", report.run);
  visit("time", report.time, "core seconds over all locations");
  visit("efficiency", report.efficiency);
  visit("efficiency_on_critical_path", report.efficiency_on_critical_path,
        "serialisation by the run again on an ideal network", kLater);
  visit("waits", report.waits, "largest first");
  visit("hotspots", report.hotspots, "largest first");
  visit("causes", report.causes, "by waiting_s, largest first");
  fields_on_demand(visit, report);
  visit("critical_path", report.critical_path,
        "the chain of computation and transfer that the run time consists of, from the start of the rank it "
        "begins on",
        kLater);
  fields_of_extras(visit, report);
  visit("explained_s", report.explained_s, "", kLater);
  visit("unexplained_s", report.unexplained_s, "", kLater | kSigned);
  visit("conservation_residual_s", report.conservation_residual_s,
        "waiting less explained and unexplained: rounding", kLater | kSigned);
  visit("remainders", report.remainders, "where the unexplained part went", kLater);
  visit(
      "clock_violations", report.clock_violations,
      "pairs of ranks whose clocks contradict each other: on `to` something ended before what it needs began "
      "on `from`",
      only_if(!report.clock_violations.empty()));
  visit("data_quality", report.data_quality);
}

template <>
struct Document<Report> {
  static constexpr const char* kSchema = "waitdiag.report/1";
  static constexpr const char* kAbout =
      "The diagnosis of one recorded MPI run. Times are seconds, shares 0..1, ranks are world ranks. More "
      "keys "
      "may be added.";
  static constexpr bool kRounded = true;
};

}  // namespace waitdiag
