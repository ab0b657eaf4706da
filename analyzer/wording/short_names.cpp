// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/short_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace waitdiag {
namespace {

constexpr std::size_t kLongest = 48;  // with template arguments
constexpr std::string_view kOperator = "operator", kUnnamed = "(anonymous namespace)::", kLambda = "{lambda";

// Longer ones first.
constexpr std::array<std::string_view, 40> kOperators = {
    "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "==", "!=", "&&",   "||", "++",
    "--",  "+=",  "-=",  "*=",  "/=", "%=", "^=", "&=", "|=", "()", "[]", "\"\"", "<",  ">",
    "+",   "-",   "*",   "/",   "%",  "^",  "&",  "|",  "~",  "!",  "=",  ","};

// Functions that only call what they were given.
constexpr std::array<std::string_view, 22> kGlue = {"__invoke",  // inlined ones have only this name
                                                    "_M_invoke",
                                                    "std::__invoke",
                                                    "std::invoke",
                                                    "std::__apply_impl",
                                                    "std::apply<",
                                                    "std::function<",
                                                    "std::_Function_handler<",
                                                    "std::_Function_base",
                                                    "std::_Bind<",
                                                    "std::_Bind_result<",
                                                    "std::_Mem_fn",
                                                    "std::thread::_Invoker<",
                                                    "std::thread::_State_impl<",
                                                    "std::__async_assoc_state<",
                                                    "std::__future_base::",
                                                    "std::call_once<",
                                                    "std::once_flag::",
                                                    "__gthread_once",
                                                    "std::__thread_proxy<",
                                                    "std::__function::",
                                                    "std::reference_wrapper<"};

// The standard library's usual choices can be left out without loss.
constexpr std::array<std::string_view, 6> kUsual = {"std::allocator<", "std::char_traits<",
                                                    "std::less<",      "std::default_delete<",
                                                    "std::equal_to<",  "std::hash<"};

bool part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The end of the operator's name that begins at `at`; `at` if there is none.
std::size_t behind_operator(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with(kOperator) || (at > 0 && part_of_name(text[at - 1]))) return at;
  const std::string_view rest = text.substr(at + kOperator.size());
  const auto* const found =
      std::ranges::find_if(kOperators, [&](auto name) { return rest.starts_with(name); });
  if (found != kOperators.end()) return at + kOperator.size() + found->size();
  return !rest.empty() && part_of_name(rest.front()) ? at : at + kOperator.size();
}

// Calls visit(position, depth in brackets) for every character that is not part of an operator's name; it
// returns how many of them to skip.
template <typename Visit>
void walk(std::string_view text, Visit visit) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t behind = behind_operator(text, i); behind != i) {
      i = behind;
      continue;
    }
    const bool closes = text[i] == '>' || text[i] == ')' || text[i] == '}' || text[i] == ']';
    const bool opens = text[i] == '<' || text[i] == '(' || text[i] == '{' || text[i] == '[';
    depth -= closes ? 1 : 0;
    if (!visit(i, depth)) return;
    depth += opens ? 1 : 0;
    ++i;
  }
}

// The place after the bracket that closes the one at `open`; the end of the text if there is none.
std::size_t behind_bracket(std::string_view text, std::size_t open) {
  std::size_t behind = text.size();
  walk(text.substr(open), [&](std::size_t i, int depth) {
    if (i > 0 && depth == 0) behind = open + i + 1;
    return i == 0 || depth > 0;
  });
  return behind;
}

void replace_all(std::string& text, std::string_view part, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += by.size())
    text.replace(at, part.size(), by);
}

// The name without the library's inner namespaces and with std::string for its full name; lambdas as GCC
// writes them.
std::string as_written(std::string_view name) {
  std::string text(name);
  replace_all(text, "__cxx11::", "");
  replace_all(text, "std::__1::", "std::");
  replace_all(text, kUnnamed, "");
  replace_all(text, "std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string");
  for (std::size_t at = 0; (at = text.find("<lambda(", at)) != text.npos;) {
    const std::size_t end = text.find(")>", at);
    if (end == text.npos) break;
    text.replace(at, end + 2 - at, "{lambda}");
  }
  for (std::size_t at = 0; (at = text.find("$_", at)) != text.npos;) {
    const std::size_t end = text.find_first_not_of("0123456789", at + 2);
    const std::string number = text.substr(at + 2, end == text.npos ? end : end - at - 2);
    text.replace(at, 2 + number.size(), "{lambda#" + number + "}");
  }
  return text;
}

// An operator is written with its result and parameters.
std::string_view without_result(std::string_view name) {
  const std::size_t named = name.find(kOperator);
  std::size_t begin = 0;
  walk(name, [&](std::size_t i, int depth) {
    if (i < named && depth == 0 && name[i] == ' ') begin = i + 1;
    return i < named;
  });
  return name.substr(begin);
}

bool is_glue(std::string_view name) {
  name = without_result(name);
  return std::ranges::any_of(kGlue, [&](std::string_view glue) { return name.starts_with(glue); });
}

// The lambda inside glue: its name is among the template arguments.
std::string_view lambda_in(std::string_view glue) {
  const std::size_t at = glue.find(kLambda);
  if (at == glue.npos) return {};
  std::size_t begin = at;
  int depth = 0;
  for (; begin > 0; --begin) {
    const char c = glue[begin - 1];
    if (c == '>' || c == ')' || c == '}' || c == ']') ++depth;
    if (depth == 0 && (c == '<' || c == '(' || c == ',' || c == ' ')) break;
    if (c == '<' || c == '(' || c == '{' || c == '[') --depth;
  }
  return glue.substr(begin, behind_bracket(glue, at) - begin);
}

// Removes the parameters of the function, of those around it and of lambdas, and the call operators of
// lambdas.
std::string without_parameters(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size();) {
    if (const std::size_t behind = behind_operator(name, i); behind != i) {
      text += name.substr(i, behind - i);
      i = behind;
    } else if (name[i] == '<') {
      const std::size_t behind_arguments = behind_bracket(name, i);
      text += name.substr(i, behind_arguments - i);
      i = behind_arguments;
    } else if (name[i] == '(') {
      i = behind_bracket(name, i);
      constexpr std::string_view kConst = " const";
      if (name.substr(i).starts_with(kConst)) i += kConst.size();
    } else {
      text += name[i++];
    }
  }
  constexpr std::string_view kCalled = "}::operator()";
  if (const std::size_t at = text.rfind(kCalled); at != text.npos) text.erase(at + 1, kCalled.size() - 1);
  return text;
}

// " (blocked)", " (3 call paths)"
std::string remark_behind(std::string_view name) {
  std::size_t begin = name.size();
  walk(name, [&](std::size_t i, int depth) {
    if (depth == 0 && name[i] == '(') begin = i;
    return true;
  });
  const bool remark = begin > 1 && begin < name.size() && name[begin - 1] == ' ' && name.ends_with(')');
  return std::string(remark ? name.substr(begin - 1) : "");
}

std::string argument_list(std::string_view arguments);

// Shortens template arguments: the parameters of `name` have already been removed.
std::string with_short_arguments(std::string_view name, bool one_level) {
  std::string text;
  for (std::size_t i = 0; i < name.size();) {
    if (const std::size_t behind = behind_operator(name, i); behind != i) {
      text += name.substr(i, behind - i);
      i = behind;
    } else if (name[i] == '<') {
      const std::size_t end = behind_bracket(name, i);
      text += one_level ? argument_list(name.substr(i + 1, end - i - 2)) : "<...>";
      i = end;
    } else {
      text += name[i++];
    }
  }
  return text;
}

std::string argument_list(std::string_view arguments) {
  std::vector<std::string> shown;
  std::size_t first = 0;
  const auto add = [&](std::size_t end) {
    std::string_view one = arguments.substr(first, end - first);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    const bool usual = std::ranges::any_of(kUsual, [&](auto name) { return one.starts_with(name); });
    std::string text = with_short_arguments(without_parameters(one), false);
    if (text.ends_with(' ')) text.back() = '(', text += "...)";  // of a function type, the result remains
    if (!usual || shown.empty()) shown.push_back(std::move(text));
    first = end + 1;
  };
  walk(arguments, [&](std::size_t i, int depth) {
    if (depth == 0 && arguments[i] == ',') add(i);
    return true;
  });
  add(arguments.size());
  std::string text = "<";
  for (const std::string& one : shown) text += (text.size() > 1 ? ", " : "") + one;
  return text + ">";
}

// Those of a call path, shortened, without glue.
std::vector<std::string> shown_frames(std::string_view call_path) {
  std::vector<std::string> shown;
  const std::vector<std::string_view> frames = frames_of(call_path);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const bool last = i + 1 == frames.size();
    if (!last && is_glue(as_written(frames[i])) && i > 0) continue;
    std::string name = short_name(frames[i]);
    const bool again = name.find(kLambda) != name.npos && !shown.empty() && shown.back() == name;
    if (!again) shown.push_back(std::move(name));
  }
  return shown;
}

std::string last_of(const std::vector<std::string>& frames, std::size_t names) {
  const auto first = frames.end() - static_cast<std::ptrdiff_t>(std::min(names, frames.size()));
  return fmt::format("{}", fmt::join(first, frames.end(), "/"));
}

}  // namespace

std::string short_name(std::string_view function) {
  const bool cplusplus = function.find_first_of("<{") != function.npos ||
                         function.find(kOperator) != function.npos ||
                         function.find(kUnnamed) != function.npos;
  if (!cplusplus) return std::string(function);
  std::string text = as_written(function);
  const std::string more = remark_behind(text);
  text.resize(text.size() - more.size());
  if (is_glue(text)) {
    if (const std::string_view lambda = lambda_in(text); !lambda.empty()) text = std::string(lambda);
  }
  const std::string name = without_parameters(without_result(text));
  std::string result = with_short_arguments(name, true);
  if (result.size() > kLongest) result = with_short_arguments(name, false);
  return (result.empty() ? text.substr(0, kLongest) : result) + more;
}

std::string short_name_with_parameters(std::string_view function) {
  std::size_t open = function.npos;
  walk(function, [&](std::size_t i, int depth) {
    if (depth == 0 && function[i] == '(') open = i;
    return true;
  });
  if (open == function.npos) return short_name(function);
  const std::size_t behind = behind_bracket(function, open);
  const std::string list = argument_list(function.substr(open + 1, behind - open - 2));
  return short_name(function) + '(' + list.substr(1, list.size() - 2) + ')';
}

std::vector<std::string_view> frames_of(std::string_view call_path) {
  std::vector<std::string_view> frames;
  std::size_t first = 0;
  walk(call_path, [&](std::size_t i, int depth) {
    if (call_path[i] != '/' || depth != 0) return true;
    frames.push_back(call_path.substr(first, i - first));
    first = i + 1;
    return true;
  });
  frames.push_back(call_path.substr(first));
  return frames;
}

std::string short_path(std::string_view call_path, std::size_t names) {
  return last_of(shown_frames(call_path), std::max<std::size_t>(names, 1));
}

std::string short_path(std::string_view call_path) {
  return short_path(call_path, call_path.size() + 1);
}

std::string brief_path(std::string_view call_path) {
  constexpr std::size_t kWhole = 90, kEnd = 70;  // characters
  constexpr std::size_t kNamesAtLeast = 2;
  const std::vector<std::string> all = shown_frames(call_path);
  std::string whole = last_of(all, all.size());
  if (whole.size() <= kWhole) return whole;
  std::size_t names = 0, length = 0;
  while (names < all.size() && (names < kNamesAtLeast || length + all[all.size() - names - 1].size() <= kEnd))
    length += all[all.size() - ++names].size() + 1;
  if (names + 2 >= all.size()) return whole;  // nothing to speak of would be left out
  const std::string end = last_of(all, names);
  return all.front() + (end.starts_with("...") ? "/" : "/.../") + end;
}

}  // namespace waitdiag
