// The sections of a .case file: a comment, then "== trace", "== command", "== report"
// (tests/cases/README.md).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace waitdiag::tool {

// Section name => its lines. The text before the first section is under "".
std::map<std::string, std::string> case_sections(std::string_view text);

}  // namespace waitdiag::tool
