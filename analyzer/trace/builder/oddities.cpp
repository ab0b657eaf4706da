// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/builder/oddities.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace waitdiag {
namespace {

struct Wording {
  Oddity oddity;
  const char* id;
  Gravity gravity;
  const char* text;
};

using enum Gravity;

// Serious where times, nesting or matching of the trace can no longer be trusted.
constexpr std::array<Wording, static_cast<std::size_t>(Oddity::kCount)> kWordings{{
    {Oddity::TimeBackwards, "time_backwards", Serious, "time stamps went backwards and were clamped"},
    {Oddity::TimeImplausible, "implausible_times", Serious,
     "time stamps more than a year away from the trace's zero were clamped"},
    {Oddity::LeaveWithoutEnter, "leave_without_enter", Serious,
     "regions were left that had not been entered"},
    {Oddity::MissingLeave, "missing_leave", Serious,
     "regions had no leave record and were closed with their parent"},
    {Oddity::UnclosedRegion, "unclosed_regions", Info,
     "regions were still open at the end and were closed there"},
    {Oddity::UnclosedCall, "unclosed_mpi_calls", Serious,
     "MPI calls were still open at the end and were closed there; the recording stopped early"},
    {Oddity::OutsideMpi, "records_outside_mpi", Serious,
     "communication records outside any MPI call were skipped"},
    {Oddity::UnknownRequest, "unknown_requests", Serious, "completions of requests that nobody had posted"},
    {Oddity::RequestReused, "reused_requests", Warning,
     "request ids were used again before they were completed"},
    {Oddity::RequestPending, "requests_never_completed", Warning,
     "nonblocking operations were never completed"},
    {Oddity::CollectiveWithoutBegin, "collective_without_begin", Warning,
     "collective records had no begin; the enter of the call stands for it"},
    {Oddity::CollectiveWithoutEnd, "collective_without_end", Warning,
     "collective records had no end and were skipped"},
    {Oddity::SampleInsideMpi, "samples_inside_mpi", Info, "samples taken inside MPI calls were skipped"},
    {Oddity::UnknownPeer, "unknown_peers", Serious,
     "messages or collectives named a rank or communicator that the trace does not have, and were skipped"},
}};

}  // namespace

void Oddities::report(const LocationInfo& location, Time zero, Anomalies& anomalies) const {
  for (const Wording& wording : kWordings) {
    const Seen& seen = seen_[static_cast<std::size_t>(wording.oddity)];
    if (seen.count == 0) continue;
    char place[80];
    std::snprintf(place, sizeof place, "; first on rank %d at %.6f s", static_cast<int>(location.rank),
                  seconds(seen.first - zero));
    anomalies.add(wording.id, wording.gravity, std::string(wording.text) + place, seen.count);
  }
}

void report_overhead(const std::string& regions, Duration time, Duration lifetimes, Anomalies& anomalies) {
  constexpr double kMatters = 0.01;
  const double share = static_cast<double>(time.count()) /
                       static_cast<double>(std::max({lifetimes, time, Duration(1)}).count());
  std::array<char, 128> text{};
  std::snprintf(
      text.data(), text.size(),
      "%.3g s of all locations (%.2g %% of their time) belong to the measurement itself, not to the "
      "program: ",
      seconds(time), 100 * share);
  anomalies.add("measurement_overhead", share < kMatters ? Info : Warning, text.data() + regions);
}

}  // namespace waitdiag
