# Makes C++ from a bundled script and style: cmake -DBUNDLE=... -DOUTPUT=... -P embed.cmake
# A literal must not be longer than 64 KiB (C++ [implimits]), so they come in pieces, which are put together once.
function(literal file result)
  file(READ "${file}" text)
  string(LENGTH "${text}" left)
  set(pieces "")
  set(begin 0)
  while(begin LESS left)
    string(SUBSTRING "${text}" ${begin} 16000 piece)
    string(APPEND pieces "R\"~page~(${piece})~page~\",\n")
    math(EXPR begin "${begin} + 16000")
  endwhile()
  set(${result} "${pieces}" PARENT_SCOPE)
endfunction()

literal("${BUNDLE}.js" script)
literal("${BUNDLE}.css" style)
file(WRITE "${OUTPUT}" "// Made by CMake of share/web. SPDX-License-Identifier: BSD-3-Clause
#include \"analyzer/writers/page/page_assets.hpp\"

#include <initializer_list>
#include <string>

namespace waitdiag {
namespace {
std::string joined_pieces(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}
}  // namespace
std::string_view page_script() {
  static const std::string text = joined_pieces({
${script}});
  return text;
}
std::string_view page_style() {
  static const std::string text = joined_pieces({
${style}});
  return text;
}
}  // namespace waitdiag
")
