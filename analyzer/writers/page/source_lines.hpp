// The blamed lines of the program with some lines around them, as far as their files can be read when the
// page is written.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

struct SourceLines {
  std::string file{};       // absolute, if it was read
  std::uint32_t line = 0;   // that is meant
  std::uint32_t first = 0;  // of `lines`
  std::vector<std::string> lines{};
  std::string what{};  // "is to blame", "calls it"
};

// Reads only files that look like source code. No lines: it cannot be read, or has no such line.
SourceLines read_source(const std::string& file, std::uint32_t line, const std::string& what);

// The place of the code of a call path, and where it is called.
std::vector<SourceLines> source_of(const Trace& trace, CallPathId path, const std::string& file,
                                   std::uint32_t line);

}  // namespace waitdiag
