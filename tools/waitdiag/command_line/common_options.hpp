// Options that several commands take: each word is declared once, and means the same everywhere.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace waitdiag::tool {

// A file to write, or "-" for standard output.
CLI::Option* add_output_file(CLI::App& command, const std::string& option, std::string& file,
                             const std::string& help);

// --json FILE: writes `what`, a document of the schema waitdiag.<schema>/1.
void add_json_option(CLI::App& command, std::string& file, const std::string& what,
                     const std::string& schema);

// --html FILE; `what` is what the page shows.
void add_html_option(CLI::App& command, std::string& file, const std::string& what);

// --markdown FILE
void add_markdown_option(CLI::App& command, std::string& file);

// --csv DIR; `what` says what the tables contain.
void add_csv_option(CLI::App& command, std::string& directory, const std::string& what);

// --csv-file FILE; `what` says what the only table contains.
void add_csv_file_option(CLI::App& command, std::string& file, const std::string& what);

// --window FROM:TO and --only-ranks FIRST-LAST; `what` says what is done with this part of the run.
void add_selection_options(CLI::App& command, std::string& window, std::string& ranks,
                           const std::string& what);

// --quiet
void add_quiet_option(CLI::App& command, bool& quiet);

// The heading, in the help, of options that reproduce a publication.
inline constexpr char kPublications[] = "To reproduce publications";

// "--ranks is called --only-ranks" for an option of the command that once had another name; "" for all
// others.
std::string renamed_option(const std::string& command, const std::string& option);

}  // namespace waitdiag::tool
