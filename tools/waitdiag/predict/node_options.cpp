// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/node_options.hpp"

#include <ostream>

#include "analyzer/simulation/machine/text_file.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/output/output_file.hpp"

namespace waitdiag::tool {

NodeRequest node_request(const NodeOptions& options, bool another_size) {
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
  NodeRequest request{.measure = !options.write_unit_times.empty(),
                      .unloaded = options.unloaded,
                      .as_recorded = options.as_recorded};
  if (options.unit_times.empty()) return request;
  const auto text = read_text_file(options.unit_times);
  if (!text)
    throw TraceError("cannot read " + options.unit_times +
                     ": name a file that `waitdiag predict DIR --write-unit-times FILE` wrote");
  request.unit_times = {options.unit_times, parse_unit_times(*text, options.unit_times)};
  return request;
}

void write_measured(const std::optional<MeasuredUnitTimes>& times, const std::string& file) {
  if (!times) return;
  write_output_file(file, [&](std::ostream& out) {
    write_unit_times(times->times, out);
    for (const Approximation& one : times->notes.all()) out << "\n# " << one.text << '\n';
  });
}

}  // namespace waitdiag::tool
