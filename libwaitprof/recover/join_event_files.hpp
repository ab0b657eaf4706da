// Joins two parts of one location's events into one event file: what a killed process had converted to OTF2
// records (whole chunks in its file, and the chunk in progress), and the rest, which was converted afterwards
// to a file of its own.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace waitprof::archive {

struct ConvertedPart {
  std::string file;  // may be missing, and may end in the middle of a chunk
  std::span<const std::byte> chunk;
  std::uint32_t records = 0;  // number of valid records, modulo 2^32; anything after them does not count
};

// Puts `before` in front of what is in `file`. Returns the number of records put there; throws
// std::system_error.
std::uint64_t put_before(const ConvertedPart& before, const std::string& file);

}  // namespace waitprof::archive
