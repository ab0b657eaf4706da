// The diagnosis: which ranks waited, for which, which code caused it, and the gain of repairing that. A value
// that owns the results of its stages; summary/ makes a report from it, pages and exports draw its single
// calls and waits.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "analyzer/diagnosis/activities/profile.hpp"
#include "analyzer/diagnosis/causes/delay_costs.hpp"
#include "analyzer/diagnosis/characteristics/characteristics.hpp"
#include "analyzer/diagnosis/characteristics/message_profile.hpp"
#include "analyzer/diagnosis/characteristics/operation_classes.hpp"
#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/diagnosis/efficiency/part_efficiency.hpp"
#include "analyzer/diagnosis/repairs/what_if.hpp"
#include "analyzer/diagnosis/resources/file_use.hpp"
#include "analyzer/diagnosis/resources/resource_use.hpp"
#include "analyzer/diagnosis/steps/step_matrix.hpp"
#include "analyzer/diagnosis_options.hpp"
#include "analyzer/simulation/replayed_gains/replayed_gains.hpp"
#include "analyzer/stages.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// The time of every call path, and how it is divided.
struct DividedTime {
  Activities activities;
  Profile profile;
};

// It refers to the trace that it was made from, which must outlive it.
struct Diagnosis {
  DiagnosisOptions options;  // as they took effect
  SyncPoints sync;
  WaitStates states;
  StalledCalls stalled;
  DividedTime by_call_path;
  // Where functions are hotspots although none of their call paths is: these functions over all their call
  // paths.
  std::optional<DividedTime> pooled;
  DelayCosts costs;
  Steps steps;
  std::vector<CallPathSpread> spreads;  // of the leading causes
  WhatIf what_if;
  std::optional<Duration> ideal_replay;         // run time on an ideal network, where that was replayed
  std::optional<ReplayedGains> replayed_gains;  // of the leading causes, where that was replayed
  EfficiencyTree efficiency;
  std::vector<PartEfficiency> efficiency_by_part;  // the run first
  TimeTotals times;
  ResourceUse resources;
  FileUse files;
  std::optional<MessageProfile> messages;         // if asked for
  std::vector<Characteristics> characteristics;   // if asked for
  std::vector<OperationClass> operation_classes;  // likewise

  // The division in which causes are searched.
  const DividedTime& compared() const { return pooled ? *pooled : by_call_path; }
};

// The run as the rules see it, where that differs from the recording: pauses between polls are waiting
// (joined_polls.hpp), but not for Scalasca, which knows no calls in parts (parts_of_call.hpp). To be diagnosed instead, and to be kept as long as the diagnosis.
std::optional<Trace> as_diagnosed(const Trace& trace, const DiagnosisOptions& options);

// Throws TraceError when there is nothing to diagnose (no MPI operation at all).
Diagnosis diagnose(const Trace& trace, const DiagnosisOptions& options, Stages& stages);

}  // namespace waitdiag
