// The options of a diagnosis: rules, models and additional results.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "analyzer/diagnosis/repairs/curve_points.hpp"

namespace waitdiag {

enum class Rules : std::uint8_t { Waitprof, Scalasca };
enum class Model : std::uint8_t { HCwpDm, CwpDm };  // hotspots only, or every call path
enum class IntervalStart : std::uint8_t {
  Causal,
  Pair
};  // last causal knowledge, or last direct synchronisation
// Whether the run is replayed: without each leading cause, on the machine derived from it, and on an ideal
// network.
enum class Replays : std::uint8_t { Small, Always, Never };
constexpr std::uint64_t kMostWorkOfASmallRun = 300'000;  // replay_work(): about a second
constexpr std::uint64_t kMostWorkOfAFit = 40'000;        // work_of_fit(): two or three seconds

struct DiagnosisOptions {
  Rules rules = Rules::Waitprof;
  Model model = Model::HCwpDm;
  IntervalStart interval = IntervalStart::Causal;
  double hotspot_threshold = 0.01;  // share of the total execution time
  bool messages = false;            // also count messages by size, layer, pair and communicator
  bool characteristics = false;     // also say where the processor time of each part of the run went
  bool culprits = false;            // also keep the culprit of every single wait, for pages and exports
  CurvePoints what_ifs = CurvePoints::None;  // also time changes in part, for pages
  Replays replays = Replays::Small;          // of runs with no more work than that
  std::uint64_t eager_threshold_bytes = 0;   // 0: not known; a Late Receiver above it is certain
};

}  // namespace waitdiag
