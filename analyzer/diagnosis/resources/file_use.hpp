// What MPI I/O moved, and where.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

struct FileUse {
  struct Sum {
    std::uint64_t calls = 0;
    Duration time{};  // of all threads together
    std::uint64_t read_bytes = 0, written_bytes = 0;
  };
  struct OfCallPath {
    CallPathId call_path = kNoCallPath;
    Sum sum{};
  };
  Sum all;                             // calls of all MPI_File_ functions
  std::vector<OfCallPath> call_paths;  // longest first
};

FileUse file_use(const Trace& trace);

}  // namespace waitdiag
