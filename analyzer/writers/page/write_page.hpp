// The page itself: one HTML file with script, style and data in it. Opens without a network.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string>

namespace waitdiag {

struct PageContent {
  std::string title{};
  std::string text_report{};  // for readers without scripts
  std::string data{};         // of page_data()
};

// Empty if this waitdiag can write pages; otherwise, in one line, why it cannot.
std::string why_no_page();

// Throws std::runtime_error if there is no page to write (why_no_page()).
void write_page(const PageContent& content, std::ostream& out);

}  // namespace waitdiag
