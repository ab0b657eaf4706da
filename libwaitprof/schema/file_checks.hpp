// Checksums of an archive's files, which OTF2 does not have: written when the archive is completed, compared
// when it is read. A file that was swapped, cut or changed on its way is found by its length and CRC.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <type_traits>

#include "libwaitprof/schema/crc32.hpp"

namespace waitprof::schema {

// Prefix of archive properties, followed by 0, 1, ...; each holds the files of some locations, as
// location_checks() writes them. Together they name every location that has files. Absent in archives of
// other tools.
inline constexpr char kFileChecksPrefix[] = "WAITPROF::FILE_CHECKS_";

struct FileCheck {
  std::uint64_t bytes = 0;  // 0: there is no such file
  std::uint32_t crc = 0;
  bool operator==(const FileCheck&) const = default;
};

// A file that cannot be read to its end counts as ending where reading failed.
inline FileCheck check_of_file(const std::string& path) noexcept {
  FileCheck check;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return check;
  }
  Crc32 crc;
  unsigned char piece[32 * 1024];
  for (ssize_t got = 0; (got = ::read(file, piece, sizeof piece)) > 0;) {
    crc.add(piece, static_cast<std::size_t>(got));
    check.bytes += static_cast<std::uint64_t>(got);
  }
  ::close(file);
  check.crc = crc.value();
  return check;
}

// Stands for the archive's global definitions in place of a location.
inline constexpr std::uint64_t kGlobalDefinitions = ~std::uint64_t{0};

struct LocationChecks {
  std::uint64_t location = 0;
  FileCheck events, definitions;
};

namespace detail {

// Hexadecimal: "location=bytes:crc,bytes:crc;".
inline std::string checks_entry(std::uint64_t location, const FileCheck& events,
                                const FileCheck& definitions) {
  char text[128];
  std::snprintf(text, sizeof text, "%llx=%llx:%x,%llx:%x;", static_cast<unsigned long long>(location),
                static_cast<unsigned long long>(events.bytes), events.crc,
                static_cast<unsigned long long>(definitions.bytes), definitions.crc);
  return text;
}

}  // namespace detail

// Checksums of the event file and the local definitions of a location in the archive `directory`/traces.otf2.
inline std::string location_checks(const std::string& directory, std::uint64_t location,
                                   const std::optional<FileCheck>& events = std::nullopt) {
  const std::string stem = directory + "/traces/" + std::to_string(location);
  return detail::checks_entry(location, events ? *events : check_of_file(stem + ".evt"),
                              check_of_file(stem + ".def"));
}

// Checksum of the global definitions.
inline std::string global_checks(const std::string& directory) {
  return detail::checks_entry(kGlobalDefinitions, {}, check_of_file(directory + "/traces.def"));
}

// Takes the first entry off `text`. False: there is none, or it makes no sense.
inline bool take_location_checks(const char*& text, LocationChecks& checks) {
  const auto number = [&text](char end, auto& value) {
    char* stop = nullptr;
    value = static_cast<std::remove_reference_t<decltype(value)>>(std::strtoull(text, &stop, 16));
    const bool good = stop != text && *stop == end;
    text = good ? stop + 1 : stop;
    return good;
  };
  return number('=', checks.location) && number(':', checks.events.bytes) && number(',', checks.events.crc) &&
         number(':', checks.definitions.bytes) && number(';', checks.definitions.crc);
}

// Calls set(name, value) for the properties that `checks`, entries of all locations in any order, become:
// OTF2 reads a property as one piece.
template <typename Set>
void for_each_checks_property(const std::string& checks, Set set) {
  constexpr std::size_t kLongest = 16 * 1024;
  std::size_t begin = 0;
  for (std::size_t n = 0; begin < checks.size(); ++n) {
    const std::size_t end =
        checks.size() - begin <= kLongest ? checks.size() : checks.rfind(';', begin + kLongest - 1) + 1;
    set(kFileChecksPrefix + std::to_string(n), checks.substr(begin, end - begin));
    begin = end;
  }
}

}  // namespace waitprof::schema
