// A file that a person wrote, as one string.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

namespace waitdiag {

// Nothing when it cannot be read. Throws TraceError above 64 MiB: no one writes such a file, and it may never
// end.
std::optional<std::string> read_text_file(const std::string& path);

}  // namespace waitdiag
