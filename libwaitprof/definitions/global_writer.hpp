// Writes global definitions: hands out string ids and remembers whether anything went wrong.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <string>
#include <unordered_map>

namespace waitprof::archive {

class GlobalWriter {
 public:
  explicit GlobalWriter(OTF2_GlobalDefWriter* writer) : otf2(writer) {}

  OTF2_StringRef string(const std::string& text) {
    const auto [entry, is_new] = strings_.try_emplace(text, next_string_);
    return is_new ? new_string(text) : entry->second;
  }

  // The id of a text that is used only once, and so need not be remembered.
  OTF2_StringRef new_string(const std::string& text) {
    check(OTF2_GlobalDefWriter_WriteString(otf2, next_string_, text.c_str()));
    return next_string_++;
  }

  OTF2_AttributeValue string_value(const std::string& text) {
    OTF2_AttributeValue value;
    value.stringRef = string(text);
    return value;
  }

  void check(OTF2_ErrorCode status) { good_ = good_ && status == OTF2_SUCCESS; }
  bool good() const { return good_; }

  OTF2_GlobalDefWriter* const otf2;

 private:
  std::unordered_map<std::string, OTF2_StringRef> strings_;
  OTF2_StringRef next_string_ = 0;
  bool good_ = true;
};

}  // namespace waitprof::archive
