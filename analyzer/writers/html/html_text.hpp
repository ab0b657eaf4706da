// Small self-contained pages: no script, nothing to load.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string>

namespace waitdiag {

std::string html_text(const std::string& text);  // with < > & " escaped, without control characters

// Up to the open body, with the style of all these pages. Ends with </body></html>, which is the caller's.
void begin_html(const std::string& title, std::ostream& out);

}  // namespace waitdiag
