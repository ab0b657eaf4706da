// Opening an OTF2 archive.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

struct ReadOptions {
  bool resolve_symbols = true;  // look for files and lines in the binaries (elfutils libdw)
  std::function<void(double fraction)> progress{};  // 0..1
};

// Reads an OTF2 archive. Throws TraceError for input that cannot be analysed at all.
Trace read_archive(const std::filesystem::path& anchor_or_directory, const ReadOptions& options = {});

}  // namespace waitdiag
