// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/settings/function_filter.hpp"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "libwaitprof/memory/memory.hpp"

namespace waitprof {

constinit std::atomic<bool> functions_are_filtered{false};

namespace {

constexpr std::size_t kMostRules = 4096, kLongestFile = std::size_t{1} << 20, kLongestPattern = 1024;

struct Rule {
  const char* pattern;
  bool record;  // INCLUDE
};

constinit Rule* rules = nullptr;
constinit std::size_t rule_count = 0;
constinit const char* filter_setting = "";
constinit bool file_names_ignored = false;
constinit int file_trouble = 0;

bool add_rule(const char* pattern, bool record) noexcept {
  if (rule_count == kMostRules || std::strlen(pattern) >= kLongestPattern) {
    return false;
  }
  rules[rule_count++] = {pattern, record};
  return true;
}

// Commas in the brackets of a signature or of template arguments are part of the name.
bool read_list(char* text) noexcept {
  bool good = true;
  int depth = 0;
  char* start = text;
  for (char* c = text;; ++c) {
    depth += *c == '(' || *c == '<' ? 1 : 0;
    depth -= *c == ')' || *c == '>' ? 1 : 0;
    const bool end = *c == '\0';
    if (end || (*c == ',' && depth <= 0)) {
      *c = '\0';
      good = good && *start != '\0' && add_rule(start, false);
      start = c + 1;
      depth = 0;
    }
    if (end) {
      return good;
    }
  }
}

struct FileReader {
  bool in_file_names = false, record = false, good = true;

  void take(const char* word) noexcept {
    const std::string_view text(word);
    if (text == "SCOREP_REGION_NAMES_BEGIN" || text == "SCOREP_REGION_NAMES_END" ||
        text == "SCOREP_FILE_NAMES_BEGIN" || text == "SCOREP_FILE_NAMES_END") {
      in_file_names = text == "SCOREP_FILE_NAMES_BEGIN";
      record = false;
    } else if (text == "EXCLUDE" || text == "INCLUDE") {
      record = text == "INCLUDE";
    } else if (in_file_names) {
      file_names_ignored = true;
    } else if (text != "MANGLED") {  // patterns are compared with both kinds of names
      good = add_rule(word, record) && good;
    }
  }
};

bool read_words(char* text) noexcept {
  FileReader reader;
  constexpr char kBlanks[] = " \t\r\n";
  while (true) {
    text += std::strspn(text, kBlanks);
    if (*text == '#') {
      text += std::strcspn(text, "\n");
      continue;
    }
    if (*text == '\0') {
      return reader.good;
    }
    char* const word = text;
    text += std::strcspn(text, kBlanks);
    const bool last = *text == '\0';
    *text = '\0';
    reader.take(word);
    text += last ? 0 : 1;
  }
}

bool read_file(const char* path) noexcept {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  struct stat facts {};
  const bool open = file >= 0 && ::fstat(file, &facts) == 0;
  const int odd = !S_ISREG(facts.st_mode) ? EISDIR : (facts.st_size < off_t{kLongestFile} ? 0 : EFBIG);
  file_trouble = open ? odd : errno;
  const bool readable = file_trouble == 0;
  const std::size_t size = readable ? static_cast<std::size_t>(facts.st_size) : 0;
  char* const text = readable ? allocate_array_forever<char>(size + 1) : nullptr;
  const bool read = text != nullptr && ::read(file, text, size) == static_cast<ssize_t>(size);
  if (file >= 0) {
    ::close(file);
  }
  return read && read_words(text);
}

const char* file_named_by(const char* text) noexcept {
  return *text == '@' ? text + 1 : (std::strchr(text, '/') != nullptr ? text : nullptr);
}

char* lasting_copy(const char* text) noexcept {
  const std::size_t bytes = std::strlen(text) + 1;
  auto* const copy = allocate_array_forever<char>(bytes);
  return copy != nullptr ? static_cast<char*>(std::memcpy(copy, text, bytes)) : nullptr;
}

bool fits(const char* pattern, const char* name) noexcept {
  if (::fnmatch(pattern, name, 0) == 0) {
    return true;
  }
  char with_signature[kLongestPattern + 2];
  std::snprintf(with_signature, sizeof with_signature, "%s(*", pattern);
  return ::fnmatch(with_signature, name, 0) == 0;
}

}  // namespace

bool read_function_filter(const char* text) noexcept {
  rule_count = 0;
  file_names_ignored = false;
  file_trouble = 0;
  rules = rules != nullptr ? rules : allocate_array_forever<Rule>(kMostRules);
  char* const copy = lasting_copy(text);
  char* const list = lasting_copy(text);
  const char* const file = file_named_by(text);
  const bool good = rules != nullptr && copy != nullptr && list != nullptr &&
                    (file != nullptr ? read_file(file) : read_list(list)) && rule_count > 0;
  rule_count = good ? rule_count : 0;
  filter_setting = good ? copy : "";
  functions_are_filtered = good;
  return good;
}

const char* function_filter() noexcept {
  return filter_setting;
}

int function_filter_file_trouble() noexcept {
  return file_trouble;
}

bool function_filter_ignores_rules() noexcept {
  return file_names_ignored;
}

bool is_filtered_name(const char* name) noexcept {
  return is_filtered_symbol(name, "");
}

bool is_filtered_symbol(const char* symbol, const char* as_written) noexcept {
  for (std::size_t rule = rule_count; rule-- > 0;) {
    const char* const pattern = rules[rule].pattern;
    if (fits(pattern, symbol) || (*as_written != '\0' && fits(pattern, as_written))) {
      return !rules[rule].record;
    }
  }
  return false;
}

}  // namespace waitprof
