// OTF2's output files, redirected to TraceFiles. OTF2 is never told about a failed write: it would go on with
// memory it has freed (3.0.2). What could not be written is kept, in order, and tried once more when the file
// is closed: by then other ranks may have given room back.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace waitprof::archive {

// From now on fopen(..., "wb") of paths below `directory` gives TraceFiles (libwaitprof is linked with
// --wrap=fopen).
void redirect_otf2_files(const std::string& directory);

bool any_write_failed() noexcept;
// The first one: "No space left on device: /.../traces/0.evt"; "" if there is none.
std::string first_write_failure();

// Files that stayed shorter than they should be.
int incomplete_files() noexcept;

}  // namespace waitprof::archive
