// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/html/html_text.hpp"

#include <ostream>

namespace waitdiag {
namespace {

constexpr char kHtmlStyle[] =
    "body{font:15px/1.45 system-ui,sans-serif;max-width:900px;margin:2em auto;padding:0 1em;color:#222;"
    "background:#fff}h1{font-size:1.3em}h2{font-size:1.05em;margin:1.6em 0 .2em}"
    "svg{width:100%;height:auto;border:1px solid #ddd}table{border-collapse:collapse}"
    "td,th{padding:.15em .8em .15em 0;text-align:left}.v{font-weight:bold}"
    ".REGRESSION,.CHANGED,.FAILED{color:#b2182b}.PASS,.IMPROVED{color:#1b7837}.INCONCLUSIVE{color:#8c6d00}"
    "circle{fill:#2166ac}circle.bad{fill:#b2182b;stroke:#b2182b;stroke-width:4}"
    "circle.unsure{fill:#fff;stroke:#8c6d00;stroke-width:2}.line{fill:none;stroke:#92c5de}"
    ".change{stroke:#b2182b;stroke-dasharray:4 3}.level{stroke:#888}text{font-size:11px;fill:#444}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}text{fill:#bbb}}";

}  // namespace

std::string html_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return result;
}

void begin_html(const std::string& title, std::ostream& out) {
  out << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>" << html_text(title)
      << "</title><style>" << kHtmlStyle << "</style></head><body>\n";
}

}  // namespace waitdiag
