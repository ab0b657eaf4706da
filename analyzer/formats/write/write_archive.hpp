// A trace as an OTF2 archive, which read_archive() and other tools read.
//
// Computation is written as regions with exact times, one after the other in each gap; calls carry their call
// path in an attribute, as those of libwaitprof do. One-sided records without a window, readings of resources
// and how often a function was entered are not written; the number of records left out is returned.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Creates `directory`, which must not exist. Throws TraceError when it cannot be written.
std::uint64_t write_archive(const Trace& trace, const std::string& directory, const std::string& creator);

}  // namespace waitdiag
