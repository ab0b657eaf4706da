// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/common_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "tools/waitdiag/command_line/choice.hpp"

namespace waitdiag::tool {
namespace {

struct RenamedOption {
  std::string_view command, old_name, new_name;
};

// Spellings that manuals once had.
constexpr std::array<RenamedOption, 8> kRenamed{{{"report", "--threshold", "--hotspot-threshold"},
                                                 {"report", "--ranks", "--only-ranks"},
                                                 {"export", "--ranks", "--only-ranks"},
                                                 {"predict", "--runs", "--run"},
                                                 {"scale", "--ranks", "--max-ranks"},
                                                 {"scale", "--csv", "--csv-file"},
                                                 {"check", "--csv", "--csv-file"},
                                                 {"run", "--html", "--page"}}};

}  // namespace

CLI::Option* add_output_file(CLI::App& command, const std::string& option, std::string& file,
                             const std::string& help) {
  return command.add_option(option, file, help + "; -: standard output")->type_name("FILE");
}

void add_json_option(CLI::App& command, std::string& file, const std::string& what,
                     const std::string& schema) {
  add_output_file(command, "--json", file, "Write " + what + " as JSON (schema waitdiag." + schema + "/1)");
}

void add_html_option(CLI::App& command, std::string& file, const std::string& what) {
  add_output_file(command, "--html", file, "Write " + what + " as one HTML page, to look at in a browser");
}

void add_markdown_option(CLI::App& command, std::string& file) {
  add_output_file(command, "--markdown", file, "Write the result as Markdown, for the page of a CI job");
}

void add_csv_option(CLI::App& command, std::string& directory, const std::string& what) {
  command.add_option("--csv", directory, "Write " + what + " as CSV files into a directory")
      ->check(directory_to_write())
      ->type_name("DIR");
}

void add_csv_file_option(CLI::App& command, std::string& file, const std::string& what) {
  add_output_file(command, "--csv-file", file, "Write " + what + " as a CSV table");
}

void add_selection_options(CLI::App& command, std::string& window, std::string& ranks,
                           const std::string& what) {
  command.add_option("--window", window, what + " this stretch of the run, in seconds since its start")
      ->type_name("FROM:TO");
  command.add_option("--only-ranks", ranks, what + " these ranks")->type_name("FIRST-LAST");
}

void add_quiet_option(CLI::App& command, bool& quiet) {
  command.add_flag("--quiet", quiet, "Print no text and no progress; write only the files asked for");
}

std::string renamed_option(const std::string& command, const std::string& option) {
  const auto* const found = std::find_if(kRenamed.begin(), kRenamed.end(), [&](const RenamedOption& renamed) {
    return renamed.command == command && renamed.old_name == option;
  });
  return found == kRenamed.end() ? "" : option + " is called " + std::string(found->new_name);
}

}  // namespace waitdiag::tool
