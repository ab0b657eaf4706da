// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/page/source_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace waitdiag {
namespace {

constexpr std::uint32_t kAround = 4;             // lines above and below
constexpr std::uintmax_t kMostBytes = 16 << 20;  // of a file
constexpr std::size_t kMostColumns = 200;

// A trace can name any file, and pages are mailed around: only source code is included.
bool looks_like_source(const std::filesystem::path& file) {
  constexpr auto kEndings = std::to_array<std::string_view>(
      {".c",   ".cc",  ".cpp", ".cu",  ".cuh", ".cxx", ".f",   ".f03", ".f08", ".f90",
       ".f95", ".for", ".h",   ".hpp", ".hxx", ".inc", ".inl", ".jl",  ".py",  ".rs"});
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(kEndings, ending) != kEndings.end();
}

bool can_be_shown(const std::filesystem::path& file) {
  std::error_code trouble;
  return looks_like_source(file) && std::filesystem::is_regular_file(file, trouble) &&
         std::filesystem::file_size(file, trouble) <= kMostBytes && !trouble;
}

}  // namespace

SourceLines read_source(const std::string& file, std::uint32_t line, const std::string& what) {
  SourceLines source{.file = file, .line = line, .first = line > kAround ? line - kAround : 1, .what = what};
  if (line == 0 || !can_be_shown(file)) return source;
  std::error_code trouble;
  source.file = std::filesystem::absolute(file, trouble).lexically_normal().string();  // for the editor
  std::ifstream stream(file);
  std::string text;
  for (std::uint32_t number = 1; number <= line + kAround && std::getline(stream, text); ++number) {
    if (number < source.first) continue;
    if (!text.empty() && text.back() == '\r') text.pop_back();
    source.lines.push_back(text.substr(0, kMostColumns));
  }
  if (source.first + source.lines.size() <= line) source.lines.clear();
  return source;
}

std::vector<SourceLines> source_of(const Trace& trace, CallPathId path, const std::string& file,
                                   std::uint32_t line) {
  std::vector<SourceLines> list{read_source(file, line, "is to blame")};
  const CallPathId caller = path == kNoCallPath ? kNoCallPath : trace.call_paths()[index(path)].parent;
  if (caller != kNoCallPath) {
    const std::uint32_t call_site = trace.call_paths()[index(caller)].line;
    const std::string& where = trace.region(caller).file;
    if (call_site != line || where != file) list.push_back(read_source(where, call_site, "calls it"));
  }
  std::erase_if(list, [](const SourceLines& one) { return one.lines.empty(); });
  return list;
}

}  // namespace waitdiag
