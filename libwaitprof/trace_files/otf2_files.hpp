// OTF2's output files, redirected to ArchiveFiles: OTF2 is never told about a failed write, after which it
// would go on with memory it has freed (3.0.2).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace waitprof::archive {

// From now on fopen(..., "wb") of paths below `directory` gives ArchiveFiles (libwaitprof is linked with
// --wrap=fopen).
void redirect_otf2_files(const std::string& directory);

}  // namespace waitprof::archive
