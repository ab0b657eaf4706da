// A diagnosed run, or selected ranks and a selected stretch of it, in the formats of other viewers. Times
// count from the begin of the run.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "analyzer/diagnose.hpp"
#include "analyzer/writers/page/selection.hpp"

namespace waitdiag {

// The diagnosis must hold the culprits of the waits (DiagnosisOptions).
struct ExportView {
  const Trace& trace;
  const Diagnosis& diagnosis;
  const PageSelection& selection;
};

// A trace for ui.perfetto.dev (protobuf): a process for every rank, a track for each of its threads with
// calls and, between them, the call path that took most of the time; waits as slices within calls, with
// pattern, culprit and its rank; messages as flows; memory and processor use as counters. Nanoseconds.
void write_perfetto(const ExportView& view, std::ostream& out);

// For speedscope.app: a timeline of call stacks for every thread, then three profiles over all of them:
// computation, waiting (where) and caused (by whom). Nanoseconds.
void write_speedscope(const ExportView& view, const std::string& name, std::ostream& out);

// Folded stacks for flame graphs: "computation;main;solve 1200", one line per call path and kind
// (computation, mpi, waiting, caused), in nanoseconds.
void write_folded(const ExportView& view, std::ostream& out);

// A profile for the Cube browser and other tools that read .cubex files: metric x call path x thread, in
// seconds.
//   time = computation + mpi, mpi = waiting (by pattern) + the rest of the calls; visits;
//   caused: waiting of others caused by this call path here, directly and indirectly, over the whole run;
//   excess: how much longer it ran here than on those that waited, over the whole run.
// Values of metrics include those of their children, values of call paths do not (type EXCLUSIVE). Throws
// std::runtime_error where a table is larger than the 8 GiB that a member of a tar file holds.
void write_cube(const ExportView& view, const std::string& name, std::ostream& out);

// For Paraver: NAME.prv, NAME.pcf and NAME.row, regardless of the extension of the given file. Computing,
// waiting and MPI as states; calls, functions, wait patterns and their causes as events; messages.
// Nanoseconds since the begin of the selection; ranks that are not selected have no task. Takes about 64
// bytes of memory per record. Throws std::runtime_error with the file's name when one cannot be written.
void write_paraver(const ExportView& view, const std::filesystem::path& file);

// single_waits.csv, messages.csv, call_tree.csv and profile.csv in the directory, which is created if needed.
// Throws std::runtime_error with the file's name when one cannot be written.
void write_event_tables(const ExportView& view, const std::filesystem::path& directory);

}  // namespace waitdiag
