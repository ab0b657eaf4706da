// The result of compiling share/web, as built into waitdiag. Empty without esbuild.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace waitdiag {

std::string_view page_script();
std::string_view page_style();

}  // namespace waitdiag
