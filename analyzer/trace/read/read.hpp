// Opening a trace: an OTF2 archive (anchor file or directory) or the text notation. Everything ends in
// TraceBuilder.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string_view>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

struct ReadOptions {
  bool resolve_symbols = true;  // look for files and lines in the binaries (elfutils libdw)
  std::function<void(double fraction)> progress{};  // 0..1
};

// Reads an OTF2 archive. Throws TraceError for input that cannot be analysed at all.
Trace read_archive(const std::filesystem::path& anchor_or_directory, const ReadOptions& options = {});

// Parses the text notation (see analyzer/trace/read/README.md). Throws TraceError with line number and
// reason.
Trace parse_text(std::string_view text);
void write_text(const Trace& trace, std::ostream& out);  // parse_text(write_text(t)) equals t

}  // namespace waitdiag
