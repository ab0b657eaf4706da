// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/call_path_labels.hpp"

namespace waitdiag {

CallPathLabel label_of(const Trace& trace, CallPathId path) {
  if (path == kNoCallPath) return {.call_path = "(unknown)", .function = "(unknown)"};
  const Region& region = trace.region(path);
  CallPathLabel label{
      .call_path = trace.call_path_name(path), .function = region.name, .communication = region.operation()};
  const CallPathId frame = region.operation() ? trace.call_paths()[index(path)].parent : path;
  if (frame == kNoCallPath) return label;
  const Region& code = trace.region(frame);
  const std::uint32_t call_site = trace.call_paths()[index(frame)].line;
  const bool prefers_call_site = region.operation() || code.line == 0;
  label.file = code.file;
  label.line = prefers_call_site && call_site != 0 ? call_site : code.line;
  return label;
}

}  // namespace waitdiag
