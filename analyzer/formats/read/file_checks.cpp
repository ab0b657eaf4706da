// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/file_checks.hpp"

namespace waitdiag {

namespace schema = waitprof::schema;

FileChecks::FileChecks(const std::map<std::string, std::string>& archive_properties) {
  for (auto property = archive_properties.lower_bound(schema::kFileChecksPrefix);
       property != archive_properties.end() && property->first.starts_with(schema::kFileChecksPrefix);
       ++property) {
    schema::LocationChecks checks;
    for (const char* text = property->second.c_str(); schema::take_location_checks(text, checks);)
      checks_[checks.location] = checks;
  }
}

bool FileChecks::differ(std::uint64_t location, const std::filesystem::path& file,
                        schema::FileCheck schema::LocationChecks::*kind) const {
  const auto known = checks_.find(location);
  if (known == checks_.end()) return false;
  const schema::FileCheck found = schema::check_of_file(file.string());
  return found.bytes > 0 && found != known->second.*kind;
}

}  // namespace waitdiag
