// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/symbols/readable_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace waitdiag {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

// Counts brackets backwards from the closing one at `close`; npos if they do not match.
std::size_t opening_bracket(std::string_view text, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return text.npos;
}

// A template function's demangled name begins with its return type: cut at the last blank outside brackets.
std::string_view without_return_type(std::string_view name) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    const char c = name[i];
    if (c == '>' || c == ')' || c == ']' || c == '}') ++depth;
    if (c == '<' || c == '(' || c == '[' || c == '{') --depth;
    if (c == ' ' && depth == 0) return name.substr(i + 1);
  }
  return name;
}

std::string_view without_clone_suffix(std::string_view symbol) {
  static constexpr std::string_view kSuffixes[] = {".constprop.", ".isra.",     ".part.",
                                                   ".cold",       ".lto_priv.", "._omp_fn."};
  for (const std::string_view suffix : kSuffixes) {
    if (const std::size_t at = symbol.find(suffix); at != symbol.npos && at > 0)
      symbol = symbol.substr(0, at);
  }
  // A function nested in another one: "twist.0".
  const std::size_t number = symbol.find_last_not_of("0123456789");
  if (number != symbol.npos && number > 0 && symbol[number] == '.' && number + 1 < symbol.size())
    symbol = symbol.substr(0, number);
  return symbol;
}

}  // namespace

std::string without_signature(std::string_view demangled) {
  std::string_view name = demangled;
  if (name.find("operator") != name.npos)
    return std::string(demangled);  // blanks and brackets may be part of it
  if (const std::size_t clone = name.find(" [clone"); clone != name.npos) name = name.substr(0, clone);
  const std::size_t close = name.rfind(')');
  if (close == name.npos) return std::string(name);
  // "f(int) const": only qualifiers may follow; "(anonymous namespace)::f" ends in a name.
  if (name.find("::", close) != name.npos) return std::string(name);
  const std::size_t open = opening_bracket(name, close);
  if (open == name.npos || open == 0) return std::string(name);
  const std::string_view before = name.substr(0, open);
  return std::string(before.find('<') == before.npos && before.find(' ') == before.npos
                         ? before
                         : without_return_type(before));
}

std::string readable_name(std::string_view symbol) {
  symbol = without_clone_suffix(symbol);
  if (symbol.starts_with("_Z")) {
    int status = 0;
    const std::unique_ptr<char, Free> demangled(
        abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status));
    return status == 0 && demangled ? without_signature(demangled.get()) : std::string(symbol);
  }
  if (symbol == "MAIN__") return "main program";
  if (const std::size_t module = symbol.find("_MOD_");
      module != symbol.npos && symbol.starts_with("__") && module > 2) {
    return std::string(symbol.substr(2, module - 2)) + "::" + std::string(symbol.substr(module + 5));
  }
  // gfortran's external procedures: lower case, with one underscore at the end.
  const bool fortran = symbol.size() > 1 && symbol.back() == '_' && symbol[symbol.size() - 2] != '_' &&
                       symbol.front() != '_' &&
                       symbol.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == symbol.npos;
  return std::string(fortran ? symbol.substr(0, symbol.size() - 1) : symbol);
}

}  // namespace waitdiag
