// A tiny run, and its exports as text.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <sstream>
#include <string>

#include "analyzer/diagnose.hpp"
#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/writers/exports/exports.hpp"

namespace waitdiag::test {

// Rank 0 waits 30 ns for rank 1, which is late because of its solve().
inline constexpr const char* kLateSender = R"(
rank 0
  0..10   main/solve
  10..52  main/MPI_Recv from 1 bytes 8
rank 1
  0..40   main/solve
  40..50  main/MPI_Send to 0 bytes 8
)";

inline void with_view(const std::string& text, const PageLimits& limits,
                      const std::function<void(const ExportView&)>& use) {
  Stages stages;
  const Trace trace = parse_text(text);
  const Diagnosis diagnosis = diagnose(trace, {.culprits = true}, stages);
  const PageSelection selection = select_for_page(trace, limits);
  use({trace, diagnosis, selection});
}

inline std::string exported(const std::function<void(const ExportView&, std::ostream&)>& write,
                            const std::string& text = kLateSender, const PageLimits& limits = {}) {
  std::ostringstream out;
  with_view(text, limits, [&](const ExportView& view) { write(view, out); });
  return out.str();
}

}  // namespace waitdiag::test
