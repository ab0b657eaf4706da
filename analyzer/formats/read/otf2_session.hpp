// An OTF2 archive opened for reading, closed again at the end of the scope, and OTF2's complaints as a string
// instead of lines on stderr.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>
#include <cstdarg>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace waitdiag {

// As long as one exists, OTF2 prints nothing. One at a time: the library has a single handler for the whole
// process.
class Otf2Complaints {
 public:
  Otf2Complaints();
  ~Otf2Complaints();
  Otf2Complaints(const Otf2Complaints&) = delete;
  Otf2Complaints& operator=(const Otf2Complaints&) = delete;

  // This thread's first complaint since the last call, in OTF2's words: the one nearest to the cause.
  std::string take();

 private:
  static OTF2_ErrorCode complain(void*, const char* file, std::uint64_t line, const char* function,
                                 OTF2_ErrorCode code, const char* format, std::va_list arguments);
  OTF2_ErrorCallback former_ = nullptr;
};

struct CloseOtf2Reader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};
using Otf2Reader = std::unique_ptr<OTF2_Reader, CloseOtf2Reader>;

// Throws TraceError.
Otf2Reader open_archive(const std::filesystem::path& anchor, Otf2Complaints& complaints);

std::map<std::string, std::string> archive_properties(OTF2_Reader* reader);
std::string archive_creator(OTF2_Reader* reader);

// Checks an archive's anchor file before the OTF2 library opens it: is it one, is it whole, can this library
// read it? (The library believes the counts in it and would allocate gigabytes for a damaged one.) Throws
// TraceError.
void check_anchor(const std::filesystem::path& anchor);

}  // namespace waitdiag
