// Names that are safe to show: a trace may come from anywhere, and a terminal obeys control characters.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace waitdiag {

struct RunFacts;

// UTF-8 stays as it is; control characters and bytes that are not UTF-8 become "\x1b" and the like.
std::string printable(std::string_view text);

void make_printable(std::string& name);
void make_printable(RunFacts& facts);

}  // namespace waitdiag
