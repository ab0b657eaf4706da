// Where an archive is: its anchor file and its event files, with a clear message when they are missing or
// unreadable.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace waitdiag {

// The anchor file itself, or the one in a directory (traces.otf2 if there are several). Throws TraceError.
std::filesystem::path find_anchor(const std::filesystem::path& anchor_or_directory);

// The event or local definition file of a location: traces.otf2 -> traces/<location>.evt
std::filesystem::path local_file(const std::filesystem::path& anchor, std::uint64_t location,
                                 const char* extension);
std::filesystem::path global_definitions_file(const std::filesystem::path& anchor);

}  // namespace waitdiag
