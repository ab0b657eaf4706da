// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/report/compare_models.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <optional>
#include <ostream>

#include "analyzer/summary/make_report.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag::tool {
namespace {

struct Outcome {
  Report report;
  double seconds = 0;
  std::optional<std::uint64_t> peak_bytes{};  // beyond what was in use before
};

// A line of /proc/self/status, in bytes.
std::optional<std::uint64_t> memory_in_use(const std::string& which) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kibibytes = 0;
    if (word == which + ":" && status >> kibibytes) return kibibytes << 10;
  }
  return std::nullopt;
}

// Resets the peak memory. Linux allows a process to do that for itself.
bool forget_peak() {
  malloc_trim(0);
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << 5 << std::flush);
}

Outcome measured(const Trace& trace, DiagnosisOptions options, Model model) {
  options.model = model;
  options.replays = Replays::Never;
  const bool counts = forget_peak();
  const auto before = memory_in_use("VmRSS");
  const auto start = std::chrono::steady_clock::now();
  Stages stages;
  Outcome outcome{.report = make_report(trace, options, stages)};
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto peak = memory_in_use("VmHWM");
  if (counts && before && peak && *peak >= *before) outcome.peak_bytes = *peak - *before;
  return outcome;
}

std::string cause_at(const Outcome& outcome, std::size_t i) {
  const auto& causes = outcome.report.causes;
  if (i >= causes.size()) return "";
  return fmt::format("{} {}, {}", function_label(causes[i].function),
                     format_share(causes[i].share_of_waiting),
                     ranks_label(causes[i].ranks, outcome.report.run.ranks));
}

}  // namespace

void compare_models(const TraceSource& source, const DiagnosisOptions& options, const TextOutput& text,
                    std::ostream& out) {
  constexpr std::size_t kLabel = 18, kColumn = 40;
  Progress progress(text.quiet);
  const Trace trace = open_trace(source, progress);
  measured(trace, options, Model::HCwpDm);  // warm-up: the first model would pay for touching the trace
  const std::array<Outcome, 2> outcomes{measured(trace, options, Model::HCwpDm),
                                        measured(trace, options, Model::CwpDm)};
  const auto row = [&](const std::string& label, auto cell) {
    const std::string line =
        pad_right(label, kLabel) + pad_right(cell(outcomes[0]), kColumn) + cell(outcomes[1]);
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  };
  row("Model", [](const Outcome& o) { return o.report.run.model; });
  row("Time", [](const Outcome& o) { return format_duration(o.seconds); });
  row("Peak memory", [](const Outcome& o) {
    return o.peak_bytes ? format_bytes(*o.peak_bytes) + " beyond the trace" : std::string("not known");
  });
  row("Explained", [](const Outcome& o) {
    const double waiting = o.report.time.waiting_s;
    return waiting > 0 ? format_share(o.report.explained_s / waiting) + " of the waiting"
                       : std::string("no waiting");
  });
  row("Causes", [](const Outcome& o) { return std::to_string(o.report.causes.size()); });
  const std::size_t most = std::max(outcomes[0].report.causes.size(), outcomes[1].report.causes.size());
  for (std::size_t i = 0; i < std::min(text.top, most); ++i)
    row(fmt::format("{:>3}.", i + 1),
        [i](const Outcome& o) { return shorten_end(cause_at(o, i), kColumn - 2, TextStyle()); });
}

}  // namespace waitdiag::tool
