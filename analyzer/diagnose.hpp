// The diagnosis in one call: match, detect, slice, compare, attribute; then the report as plain data.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "analyzer/results/report.hpp"
#include "analyzer/stages.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

enum class Rules : std::uint8_t { Waitprof, Scalasca };
enum class Model : std::uint8_t { HCwpDm, CwpDm };  // hotspots only, or every call path
enum class IntervalStart : std::uint8_t {
  Causal,
  Pair
};  // last causal knowledge, or last direct synchronisation
// Whether the run is replayed: without each leading cause on the machine found in it, and on an ideal
// network.
enum class Replays : std::uint8_t { Small, Always, Never };
constexpr std::uint64_t kMostWorkOfASmallRun = 300'000;  // replay_work(): about a second

struct DiagnosisOptions {
  Rules rules = Rules::Waitprof;
  Model model = Model::HCwpDm;
  IntervalStart interval = IntervalStart::Causal;
  double hotspot_threshold = 0.01;          // share of the total execution time
  bool messages = false;                    // also count messages by size, layer, pair and communicator
  bool characteristics = false;             // also say where the processor time of each part of the run went
  Replays replays = Replays::Small;         // of runs with at most kMostWorkOfASmallRun
  std::uint64_t eager_threshold_bytes = 0;  // 0: not known; a Late Receiver above it is certain
  bool correct_clocks = false;              // first move what ended before its cause
};

// Throws TraceError when there is nothing to diagnose (no MPI operation at all).
Report diagnose(const Trace& trace, const DiagnosisOptions& options, Stages& stages);
// With corrected clocks there is one trace only: the one given, in which they are corrected.
Report diagnose(Trace&& trace, const DiagnosisOptions& options, Stages& stages);

}  // namespace waitdiag
