// The options that choose rules and models.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/diagnosis_options.hpp"

#include <string>

#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/errors.hpp"

namespace waitdiag::tool {
void add_diagnosis_options(CLI::App& command, DiagnosisOptions& options) {
  add_choice<Rules>(command, "--rules", options.rules,
                    {{"waitprof", Rules::Waitprof}, {"scalasca", Rules::Scalasca}},
                    "What counts as a wait: our rules, or exactly Scalasca's for comparison [waitprof]");
  add_choice<Model>(command, "--model", options.model,
                    {{"h-cwp-dm", Model::HCwpDm}, {"cwp-dm", Model::CwpDm}},
                    "Causes: hotspots and direct waits, or every call path and waits passed on [h-cwp-dm]");
  add_choice<IntervalStart>(
      command, "--interval", options.interval,
      {{"causal", IntervalStart::Causal}, {"pair", IntervalStart::Pair}},
      "Compare ranks since they last knew of each other, or last synchronised directly [causal]");
  command
      .add_option("--hotspot-threshold", options.hotspot_threshold,
                  "Share of any rank's time (0..1) from which a call path is a hotspot [0.01]")
      ->check(number_between(0.0, 1.0))
      ->type_name("SHARE");
  command
      .add_option("--eager-threshold", options.eager_threshold_bytes,
                  "Largest message the MPI library sends without its receiver; 0: learnt from the trace [0]")
      ->check(number_between<std::uint64_t>(0, 1'000'000'000'000))
      ->type_name("BYTES");
  command.add_flag("--messages", options.messages,
                   "Also messages by size, layer and communicator; by pair of ranks in JSON and CSV");
  command.add_flag("--characteristics", options.characteristics,
                   "Also where the processor time went: by part of the run and by kind of operation");
  add_choice<Replays>(command, "--replay", options.replays,
                      {{"small", Replays::Small}, {"always", Replays::Always}, {"never", Replays::Never}},
                      "Replay the run to say what fixing a cause would save and what an ideal network would "
                      "[small: if that takes about a second]");
  command.parse_complete_callback([&command, &options] {
    for (const char* const other : {"--model", "--interval", "--hotspot-threshold"})
      if (options.rules == Rules::Scalasca && command.count(other) > 0)
        throw UsageError(
            std::string("--rules scalasca has a model, intervals and hotspots of its own: leave ") + other +
            " out");
  });
}

}  // namespace waitdiag::tool
