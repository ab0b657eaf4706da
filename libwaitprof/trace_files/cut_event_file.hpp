// An event file whose last part could not be written (full disk): given a proper end, so that it can be read.
// OTF2's own reader (3.0.2) never returns from a file that just stops.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace waitprof::archive {

// Puts OTF2's end marks after the whole chunks of the file, giving up one chunk if there is no room for
// them. Returns the number of events in the file.
std::uint64_t end_cut_event_file(const std::string& path) noexcept;

}  // namespace waitprof::archive
