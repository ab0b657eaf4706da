// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/page/write_page.hpp"

#include <zlib.h>

#include <ostream>
#include <stdexcept>

#include "analyzer/writers/page/page_assets.hpp"

namespace waitdiag {
namespace {

// Bytes in zlib's format, which browsers call "deflate".
std::string deflated(const std::string& bytes) {
  constexpr int kLevel = 6;
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  const int trouble = compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kLevel);
  if (trouble != Z_OK) throw std::runtime_error("cannot compress the page's data: out of memory");
  result.resize(size);
  return result;
}

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t j = i; j < i + 3; ++j)
      group = group << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    for (std::size_t digit = 0; digit < 4; ++digit)
      text += i + digit <= bytes.size() ? kDigits[group >> (18 - 6 * digit) & 63] : '=';
  }
  return text;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else {
      result += c;
    }
  }
  return result;
}

// Nothing may be loaded from anywhere: everything needed is in the file.
constexpr char kPolicy[] =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri "
    "'none'; form-action 'none'";

}  // namespace

std::string why_no_page() {
  if (!page_script().empty()) return "";
  return "this waitdiag cannot write pages: esbuild was not found when it was built; install it (Debian: "
         "apt-get install esbuild), configure and build again";
}

void write_page(const PageContent& content, std::ostream& out) {
  if (page_script().empty()) throw std::runtime_error(why_no_page());
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      << "<meta http-equiv=\"Content-Security-Policy\" content=\"" << kPolicy << "\">\n<title>"
      << escaped(content.title) << "</title>\n<style>" << page_style() << "</style>\n</head>\n<body>\n"
      << "<noscript><pre>" << escaped(content.text_report) << "</pre></noscript>\n<div id=\"page\"></div>\n"
      << "<script type=\"text/plain\" id=\"data\">" << base64(deflated(content.data)) << "</script>\n<script>"
      << page_script() << "</script>\n</body>\n</html>\n";
}

}  // namespace waitdiag
