// Small self-contained pages: no script, nothing to load.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string>

namespace waitdiag {

std::string html_text(const std::string& text);  // with < > & " escaped, without control characters

// Writes everything up to the open body, with the common style of these pages. The caller writes the final
// </body></html>.
void begin_html(const std::string& title, std::ostream& out);

}  // namespace waitdiag
