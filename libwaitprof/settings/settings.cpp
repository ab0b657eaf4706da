// The table of settings and its reader. To add a setting: a member of Settings, one line here.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/settings/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "libwaitprof/settings/call_filter.hpp"
#include "libwaitprof/settings/function_filter.hpp"
#include "libwaitprof/settings/nearest_name.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {

constinit Settings settings;

namespace {

// The word at `place` of several: "off|cpu|wall".
std::string_view word(std::string_view words, int place) noexcept {
  for (; place > 0; --place) {
    words.remove_prefix(words.find('|') + 1);
  }
  return words.substr(0, words.find('|'));
}

// Parses a value, by its type. `values`: the allowed ones.
bool parse(const char* /*values*/, const char* text, bool& value) noexcept {
  const bool on = std::strcmp(text, "on") == 0 || std::strcmp(text, "1") == 0;
  const bool off = std::strcmp(text, "off") == 0 || std::strcmp(text, "0") == 0;
  value = on ? true : (off ? false : value);
  return on || off;
}

bool parse(const char* values, const char* text, int& value) noexcept {  // "1..10000"
  char* end = nullptr;
  const long low = std::strtol(values, &end, 10), high = std::strtol(end + 2, nullptr, 10);
  const long number = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || number < low || number > high) {
    return false;
  }
  value = static_cast<int>(number);
  return true;
}

template <class Enum>
bool parse(std::string_view values, const char* text, Enum& value) noexcept {  // words in the enum's order
  const auto count = static_cast<int>(std::count(values.begin(), values.end(), '|')) + 1;
  for (int place = 0; place < count; ++place) {
    if (word(values, place) == text) {
      value = static_cast<Enum>(place);
      return true;
    }
  }
  return false;
}

// "10..20", "10.." to the end.
bool parse_steps(const char* text) noexcept {
  StepSelection steps{.selected = true};
  char* end = nullptr;
  if (*text < '0' || *text > '9') {
    return false;
  }
  steps.first = std::strtoull(text, &end, 10);
  if (std::strncmp(end, "..", 2) != 0) {
    return false;
  }
  const char* last = end + 2;
  if (*last != '\0') {
    if (*last < '0' || *last > '9') {
      return false;
    }
    steps.last = std::strtoull(last, &end, 10);
    if (*end != '\0' || steps.last < steps.first) {
      return false;
    }
  }
  settings.steps = steps;
  return true;
}

bool parse_rank(const char*& text, int& rank) noexcept {
  constexpr unsigned long kHighest = 1U << 24;
  if (*text < '0' || *text > '9') {
    return false;
  }
  char* end = nullptr;
  const unsigned long number = std::strtoul(text, &end, 10);
  text = end;
  rank = static_cast<int>(std::min(number, kHighest));
  return number <= kHighest;
}

// "0,4..7".
bool parse_ranks(const char* text, RankSelection& ranks) noexcept {
  RankSelection selected;
  while (selected.count < RankSelection::kMostRuns) {
    RankSelection::Run& run = selected.runs[selected.count++];
    if (!parse_rank(text, run.first)) {
      return false;
    }
    run.last = run.first;
    if (std::strncmp(text, "..", 2) == 0 && (!parse_rank(text += 2, run.last) || run.last < run.first)) {
      return false;
    }
    if (*text == '\0') {
      ranks = selected;
      return true;
    }
    if (*text++ != ',') {
      return false;
    }
  }
  return false;
}

// Not meant for users, so not in the table: known by name only.
constexpr char kTestClocks[] = "WAITPROF_TEST_CLOCKS";
constexpr char kTestObjects[] = "WAITPROF_TEST_OBJECT_TABLE";
constexpr char kTestCounters[] = "WAITPROF_TEST_COUNTERS";
constexpr char kTestStolen[] = "WAITPROF_TEST_STOLEN";
constexpr char kGroupsVariable[] = "WAITPROF_FILTER_MPI";
constexpr char kFunctionsVariable[] = "WAITPROF_FILTER_FUNCTIONS";
constexpr char kLibrary[] = "WAITPROF_LIBRARY";  // for waitdiag: which recorder to preload

void read_test_clocks() noexcept {
  const char* text = std::getenv(kTestClocks);
  char* end = nullptr;
  if (text != nullptr) {
    settings.test_clocks = {.on = true, .ahead_us = std::strtol(text, &end, 10)};
    settings.test_clocks.fast_ppm = *end == ':' ? std::strtol(end + 1, &end, 10) : 0;
    settings.test_clocks.turn_ms = *end == ':' ? std::strtol(end + 1, &end, 10) : 0;
    settings.test_clocks.one_machine = *end == ':' && std::strtol(end + 1, nullptr, 10) != 0;
  }
}

bool parse_directory(const char* text) noexcept {
  const std::size_t length = std::strlen(text);
  if (length >= sizeof settings.directory) {
    return false;
  }
  std::memcpy(settings.directory, text, length + 1);
  return true;
}

// NAME=NUMBER, several separated by commas.
bool parse_problem(const char* text) noexcept {
  const std::size_t length = std::strlen(text);
  if (length >= sizeof settings.problem) {
    return false;
  }
  for (const char* at = text; *at != '\0';) {
    const char* const equals = std::strchr(at, '=');
    if (equals == nullptr || equals == at ||
        std::memchr(at, ',', static_cast<std::size_t>(equals - at)) != nullptr) {
      return false;
    }
    char* end = nullptr;
    const double value = std::strtod(equals + 1, &end);
    if (end == equals + 1 || !(value > 0) || (*end != ',' && *end != '\0')) {
      return false;
    }
    at = *end == ',' ? end + 1 : end;
  }
  std::memcpy(settings.problem, text, length + 1);
  return true;
}

struct Setting {
  const char *variable, *values, *help;
  const char* without;  // in words, what applies if it is not set; nullptr: default_value
  // Takes the text into `settings`; false: not one of the values.
  bool (*apply)(const char* values, const char* text) noexcept;
  int default_value = 0;
};

// A row whose default is that of the member of Settings.
template <auto kMember>
constexpr Setting setting(const char* variable, const char* values, const char* help) noexcept {
  return {variable,
          values,
          help,
          nullptr,
          [](const char* known, const char* text) noexcept { return parse(known, text, settings.*kMember); },
          static_cast<int>(Settings{}.*kMember)};
}

template <bool (*kParse)(const char* text) noexcept>
constexpr Setting setting(const char* variable, const char* values, const char* without,
                          const char* help) noexcept {
  return {variable, values, help, without,
          [](const char*, const char* text) noexcept { return kParse(text); }};
}

bool parse_mpi_filter(const char* text) noexcept {
  return parse_call_groups(text, settings.mpi_filter);
}
bool parse_sampled_ranks(const char* text) noexcept {
  return parse_ranks(text, settings.sampling_ranks);
}

using S = Settings;
constexpr Setting kSettings[] = {
    setting<&S::enabled>("WAITPROF_ENABLE", "on|off", "off: the program runs as without the recorder"),
    setting<parse_directory>("WAITPROF_DIR", "path", "waitprof-<program>-<ranks>p-<date>-<time>",
                             "archive directory to create"),
    setting<&S::profile>(
        "WAITPROF_PROFILE", "full|light",
        "light: at most 16 excerpts of the run in full, totals of every call path for all of it"),
    setting<parse_problem>(
        "WAITPROF_PROBLEM", "n=256,...", "none",
        "what the run's problem is, in names and numbers: kept for `waitdiag predict --problem`"),
    setting<&S::sampling>("WAITPROF_SAMPLING", "off|cpu|wall",
                          "which time the samples of the computation follow"),
    setting<&S::sampling_hz>("WAITPROF_SAMPLING_HZ", "1..10000", "samples per second and thread"),
    setting<parse_sampled_ranks>("WAITPROF_SAMPLING_RANKS", "0,4..7", "all",
                                 "ranks whose computation is sampled"),
    setting<&S::off_processor>(
        "WAITPROF_OFF_PROCESSOR", "off|sums|switches",
        "time a thread was not on a processor: every interval, or how much between MPI calls"),
    setting<&S::usage_hz>("WAITPROF_USAGE_HZ", "0..200",
                          "readings of CPU time, memory and node load per second, at most; 0: none"),
    setting<&S::call_paths>("WAITPROF_CALLPATH", "on|off", "record the call path of every MPI call"),
    setting<&S::call_path_depth>("WAITPROF_CALLPATH_DEPTH", "1..256", "innermost frames kept of a call path"),
    setting<&S::each_call_path>("WAITPROF_CALLPATH_EACH", "on|off",
                                "write it with every call, for other readers of the archive: not only where "
                                "calls do not repeat earlier ones"),
    setting<parse_steps>("WAITPROF_STEPS", "first..last", "all",
                         "time steps to record (waitprof_step, MPI_Pcontrol(2)), from 0"),
    setting<parse_mpi_filter>("WAITPROF_FILTER_MPI", "p2p,collective,rma,io,comm,other", "none",
                              "groups of MPI functions not to record"),
    setting<read_function_filter>("WAITPROF_FILTER_FUNCTIONS", "names|@file", "none",
                                  "functions and regions not to record: patterns with * and ?, separated by "
                                  "commas, or a filter file of "
                                  "Score-P's"),
    setting<&S::buffer_mib>("WAITPROF_BUFFER_MIB", "1..1024",
                            "event buffer of a rank's first thread, in MiB"),
    setting<&S::limit_mib>("WAITPROF_LIMIT_MIB", "0..1048576",
                           "size of a rank's event files, in MiB, at which recording stops on it; 0: none"),
    setting<&S::clock_every>(
        "WAITPROF_CLOCK_EVERY", "0..1000000",
        "compare the nodes' clocks again after every so many barriers or the like of all ranks; 0: never"),
    setting<&S::every_rank>("WAITPROF_EVERY_RANK", "on|off",
                            "all ranks have this library: where the launcher is none that can be asked"),
    setting<&S::crash_safe>("WAITPROF_CRASH_SAFE", "on|off",
                            "keep event buffers in files, for programs that are killed"),
};

// What applies if it is not set.
std::string_view default_text(const Setting& setting, char (&number)[16]) noexcept {
  if (setting.without != nullptr) {
    return setting.without;
  }
  if (std::strcmp(setting.values, "on|off") == 0) {
    return setting.default_value != 0 ? "on" : "off";
  }
  if (std::strchr(setting.values, '|') != nullptr) {
    return word(setting.values, setting.default_value);
  }
  std::snprintf(number, sizeof number, "%d", setting.default_value);
  return number;
}

const char* name_of_setting(std::size_t index) noexcept {
  return kSettings[index].variable;
}

void warn_about_unknown(const char* assignment) noexcept {
  char name[64] = "";
  const std::size_t length = std::min(std::strcspn(assignment, "="), sizeof name - 1);
  std::memcpy(name, assignment, length);
  const bool known = std::strcmp(name, kTestClocks) == 0 || std::strcmp(name, kTestObjects) == 0 ||
                     std::strcmp(name, kTestCounters) == 0 || std::strcmp(name, kTestStolen) == 0 ||
                     std::strcmp(name, kLibrary) == 0 ||
                     std::any_of(std::begin(kSettings), std::end(kSettings), [&name](const Setting& setting) {
                       return std::strcmp(setting.variable, name) == 0;
                     });
  if (known) {
    return;
  }
  say("unknown setting %s ignored; did you mean %s?", name,
      nearest_name(name, std::size(kSettings), name_of_setting));
}

void complain(const Setting& setting, const char* text) noexcept {
  char number[16];
  const std::string_view otherwise = default_text(setting, number);
  const auto length = static_cast<int>(otherwise.size());
  const int trouble = function_filter_file_trouble();
  if (trouble != 0 && std::strcmp(setting.variable, kFunctionsVariable) == 0) {
    return say("%s=%s ignored: the file cannot be read (%s); using %.*s.", setting.variable, text,
               std::strerror(trouble), length, otherwise.data());
  }
  say("%s=%s ignored: expected %s; using %.*s.", setting.variable, text, setting.values, length,
      otherwise.data());
}

// Warns about parts of filters that are ignored.
void complain_of_filters() noexcept {
  const char* const groups = std::getenv(kGroupsVariable);
  const std::string_view unknown = groups != nullptr ? unknown_call_group(groups) : "";
  std::uint32_t taken = 0;
  if (!unknown.empty() && parse_call_groups(groups, taken)) {
    say("%s=%s: there is no group \"%.*s\", the rest is left out; groups are p2p, collective, rma, io, comm "
        "and "
        "other.",
        kGroupsVariable, groups, static_cast<int>(unknown.size()), unknown.data());
  }
  if (function_filter_ignores_rules()) {
    say("rules for names of source files in %s=%s are ignored: only names of functions are known while the "
        "program runs.",
        kFunctionsVariable, function_filter());
  }
}

}  // namespace

void read_settings(bool speak) noexcept {
  read_test_clocks();
  settings.test_object_table = std::getenv(kTestObjects) != nullptr;
  if (const char* const counters = std::getenv(kTestCounters); counters != nullptr) {
    std::sscanf(counters, "%lf,%lf", &settings.test_counters.instructions, &settings.test_counters.cycles);
  }
  if (const char* const stolen = std::getenv(kTestStolen); stolen != nullptr) {
    settings.test_stolen = std::strtod(stolen, nullptr);
  }
  for (const Setting& setting : kSettings) {
    const char* text = std::getenv(setting.variable);
    if (text != nullptr && !setting.apply(setting.values, text) && speak) {
      complain(setting, text);
    }
  }
  if (speak) {
    complain_of_filters();
  }
  for (char** variable = environ; speak && variable != nullptr && *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "WAITPROF_", 9) == 0) {
      warn_about_unknown(*variable);
    }
  }
  fit_settings_to_library(speak);
}

}  // namespace waitprof
