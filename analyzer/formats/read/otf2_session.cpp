// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/otf2_session.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

thread_local std::string first_complaint;

}  // namespace

Otf2Complaints::Otf2Complaints() : former_(OTF2_Error_RegisterCallback(&Otf2Complaints::complain, nullptr)) {
  first_complaint.clear();
}
Otf2Complaints::~Otf2Complaints() {
  OTF2_Error_RegisterCallback(former_, nullptr);
}

std::string Otf2Complaints::take() {
  std::string text;
  text.swap(first_complaint);
  return text;
}

OTF2_ErrorCode Otf2Complaints::complain(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                                        const char* format, std::va_list arguments) {
  std::string& first = first_complaint;
  if (first.empty()) {
    char text[256] = "";
    if (format != nullptr) std::vsnprintf(text, sizeof text, format, arguments);
    first = std::string(OTF2_Error_GetDescription(code)) + (text[0] == '\0' ? "" : ": ") + text;
    // The complaint may quote a damaged file: it is made one printable line, whatever it contains.
    std::replace_if(
        first.begin(), first.end(), [](unsigned char c) { return c < 32 || c > 126; }, '?');
  }
  return code;
}

Otf2Reader open_archive(const std::filesystem::path& anchor, Otf2Complaints& complaints) {
  check_anchor(anchor);
  Otf2Reader reader(OTF2_Reader_Open(anchor.c_str()));
  if (reader == nullptr || OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()) != OTF2_SUCCESS) {
    throw TraceError("cannot read the OTF2 anchor file " + anchor.string() + " (" + complaints.take() +
                     "): it is damaged, or of a newer OTF2; try otf2-print, or record it again");
  }
  return reader;
}

std::map<std::string, std::string> archive_properties(OTF2_Reader* reader) {
  std::map<std::string, std::string> properties;
  std::uint32_t count = 0;
  char** names = nullptr;
  if (OTF2_Reader_GetPropertyNames(reader, &count, &names) != OTF2_SUCCESS) return properties;
  for (std::uint32_t i = 0; i < count; ++i) {
    char* value = nullptr;
    if (OTF2_Reader_GetProperty(reader, names[i], &value) == OTF2_SUCCESS && value != nullptr) {
      properties[names[i]] = value;
    }
    std::free(value);
  }
  std::free(names);
  return properties;
}

std::string archive_creator(OTF2_Reader* reader) {
  char* creator = nullptr;
  OTF2_Reader_GetCreator(reader, &creator);
  std::string text = creator == nullptr ? "" : creator;
  std::free(creator);
  return text;
}

}  // namespace waitdiag
