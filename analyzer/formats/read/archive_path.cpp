// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/archive_path.hpp"

#include <algorithm>
#include <vector>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

namespace fs = std::filesystem;

fs::path anchor_in(const fs::path& directory) {
  std::error_code error;
  fs::directory_iterator entries(directory, error);
  if (error) {
    throw TraceError("cannot read the directory " + directory.string() + ": " + error.message() +
                     "; check its permissions");
  }
  std::vector<fs::path> anchors;
  for (; entries != fs::directory_iterator(); entries.increment(error)) {
    if (error) break;
    if (entries->path().extension() == ".otf2") anchors.push_back(entries->path());
  }
  if (anchors.empty()) {
    throw TraceError(
        "no OTF2 archive in " + directory.string() +
        ": there is no *.otf2 file; was the recording cut off, or is it another directory? If nothing "
        "was recorded, `waitdiag doctor -- mpirun ...` says why");
  }
  const auto usual = std::find_if(anchors.begin(), anchors.end(),
                                  [](const fs::path& anchor) { return anchor.filename() == "traces.otf2"; });
  if (usual != anchors.end()) return *usual;
  if (anchors.size() > 1) {
    throw TraceError("several *.otf2 files in " + directory.string() + ": name the one that is meant");
  }
  return anchors.front();
}

}  // namespace

fs::path find_anchor(const fs::path& anchor_or_directory) {
  std::error_code error;
  const fs::file_status status = fs::status(anchor_or_directory, error);
  if (status.type() == fs::file_type::not_found) {
    throw TraceError("no such file or directory: " + anchor_or_directory.string() +
                     "; give the directory of an OTF2 archive or its *.otf2 file");
  }
  if (error) {
    throw TraceError("cannot look at " + anchor_or_directory.string() + ": " + error.message() +
                     "; check the permissions of the directories above it");
  }
  const bool directory = status.type() == fs::file_type::directory;
  fs::path anchor = directory ? anchor_in(anchor_or_directory) : anchor_or_directory;
  if (!fs::is_regular_file(anchor, error)) {
    throw TraceError(anchor.string() + " is not a regular file: give the *.otf2 file of an archive");
  }
  return anchor;
}

fs::path local_file(const fs::path& anchor, std::uint64_t location, const char* extension) {
  return anchor.parent_path() / anchor.stem() / (std::to_string(location) + extension);
}

fs::path global_definitions_file(const fs::path& anchor) {
  return fs::path(anchor).replace_extension(".def");
}

}  // namespace waitdiag
