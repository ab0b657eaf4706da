// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/printable.hpp"

#include <map>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {
namespace {

// How many bytes the first character has; 0: it must not be shown as it is. `text` is not empty.
std::size_t shown_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // In this order: two-byte controls (U+0080 to U+009F), overlong forms, surrogates, beyond the last
  // character.
  const unsigned char second = byte(1);
  const bool odd = (first == 0xc2 && second < 0xa0) || (first == 0xe0 && second < 0xa0) ||
                   (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
                   (first == 0xf4 && second > 0x8f);
  return odd ? 0 : bytes;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    const std::size_t bytes = shown_bytes(text);
    if (bytes > 0) {
      result += text.substr(0, bytes);
    } else {
      const auto byte = static_cast<unsigned char>(text.front());
      result += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
    }
    text.remove_prefix(bytes > 0 ? bytes : 1);
  }
  return result;
}

void make_printable(std::string& name) {
  name = printable(name);
}

void make_printable(RunFacts& facts) {
  make_printable(facts.program);
  make_printable(facts.mpi);
  make_printable(facts.creator);
  for (auto& [name, value] : facts.properties) make_printable(value);
}

}  // namespace waitdiag
