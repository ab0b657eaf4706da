// A look at an archive's anchor file before the OTF2 library opens it: is it one, is it whole, can this
// library read it. (The library believes the counts in it and would allocate gigabytes for a damaged one.)
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace waitdiag {

// Throws TraceError.
void check_anchor(const std::filesystem::path& anchor);

}  // namespace waitdiag
