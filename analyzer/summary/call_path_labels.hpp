// How a call path is named in a report, and where its innermost frame is in the source.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/diagnosis/activities/activities.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

struct CallPathLabel {
  std::string call_path{}, function{}, file{};
  std::uint32_t line = 0;
  const char* kind = "computation";  // as Report::Cause::kind
  std::string waited_for{};          // as Report::Cause::waited_for
};

// An MPI call has no source of its own: file and line are where it is called. Neither has blocked time, which
// is named after the function that was blocked.
CallPathLabel label_of(const Trace& trace, CallPathId path);

// The same for a path that represents several of its function: "main/.../walk (120 call paths)".
CallPathLabel label_of(const Trace& trace, const Activities& activities, CallPathId path);

}  // namespace waitdiag
