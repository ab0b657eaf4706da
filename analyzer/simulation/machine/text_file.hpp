// A file that a person wrote, as one string.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

namespace waitdiag {

// Nothing when it cannot be read. Throws TraceError above 64 MiB: that is no such file, and may never end.
std::optional<std::string> read_text_file(const std::string& path);

}  // namespace waitdiag
