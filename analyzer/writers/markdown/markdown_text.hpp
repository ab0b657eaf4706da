// Text that is not to be taken for Markdown, or for the HTML in it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace waitdiag {

std::string markdown_text(const std::string& text);

}  // namespace waitdiag
