// Whether the files of an archive are those that were written: their checksums, where the archive has them
// (libwaitprof/schema/file_checks.hpp).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "libwaitprof/schema/file_checks.hpp"

namespace waitdiag {

class FileChecks {
 public:
  explicit FileChecks(const std::map<std::string, std::string>& archive_properties);

  // True if `file` (an event file or local definitions) exists and its checksum is not the one in the
  // archive.
  bool differ(std::uint64_t location, const std::filesystem::path& file,
              waitprof::schema::FileCheck waitprof::schema::LocationChecks::*kind) const;

 private:
  std::map<std::uint64_t, waitprof::schema::LocationChecks> checks_;
};

}  // namespace waitdiag
