// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/node_options.hpp"

#include <ostream>

#include "analyzer/simulation/machine/text_file.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/text_output.hpp"

namespace waitdiag::tool {

void check_node_options(const NodeOptions& options, bool another_size) {
  const bool given = !options.unit_times.empty() || !options.write_unit_times.empty();
  if (options.unloaded && options.as_recorded)
    throw UsageError("--unloaded and --as-recorded are opposites: leave out one");
  if (options.as_recorded && !given)
    throw UsageError(
        "--as-recorded goes with --unit-times or --write-unit-times: without them times are as recorded");
  if (another_size && (given || options.unloaded))
    throw UsageError(
        "--unit-times, --write-unit-times and --unloaded are for one recorded run: write the one of another "
        "size "
        "with --write first");
}

NodeScaling scale_nodes(const NodeOptions& options, const Trace& trace) {
  const bool scales = !options.unit_times.empty();
  NodeScaling scaling;
  ComputationFactors corrected;
  if (!options.as_recorded && (scales || options.unloaded || !options.write_unit_times.empty()))
    corrected = unloaded(trace);
  if (!options.write_unit_times.empty()) {
    const UnitTimes times = measure_unit_times(trace, corrected);
    if (times.call_paths.empty())
      throw TraceError(
          "this run has no computation, so there are no unit times to write: record a longer run");
    write_output_file(options.write_unit_times, [&](std::ostream& out) {
      write_unit_times(times, out);
      for (const Approximation& one : corrected.notes.all()) out << "\n# " << one.text << '\n';
    });
  }
  if (options.unloaded) scaling.edits.emplace_back("as on unloaded nodes");
  if (!scales) {
    if (options.unloaded) scaling.factors = std::move(corrected);
    return scaling;
  }
  const auto text = read_text_file(options.unit_times);
  if (!text)
    throw TraceError("cannot read " + options.unit_times +
                     ": name a file that `waitdiag predict DIR --write-unit-times FILE` wrote");
  scaling.factors = std::move(corrected);
  scaling.unit_times = scale_by_unit_times(trace, parse_unit_times(*text, options.unit_times),
                                           options.unit_times, scaling.factors);
  scaling.edits.push_back("unit times of " + options.unit_times);
  return scaling;
}

}  // namespace waitdiag::tool
