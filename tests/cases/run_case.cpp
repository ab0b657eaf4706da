// Runs one .case file: parses its trace, diagnoses it (or, with a machine, predicts it) with its command's
// options, compares the lines and checks the JSON.
//
//   waitdiag_cases FILE.case           0: as expected; 1: not, with the difference; 2: the file is wrong
//   waitdiag_cases --print FILE.case   prints what the report section would have to be
//
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/diagnosis/retiming/correct_clocks.hpp"
#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/writers/json/json.hpp"
#include "tests/cases/prediction_lines.hpp"
#include "tests/cases/report_lines.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/places.hpp"
#include "tools/waitdiag/command_line/diagnosis_options.hpp"
#include "tools/waitdiag/input/case_file.hpp"
#include "tools/waitdiag/input/open_trace.hpp"

namespace waitdiag::test {
namespace {

using Sections = std::map<std::string, std::string>;

Sections read_case(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream content;
  content << file.rdbuf();
  Sections sections = tool::case_sections(content.str());
  for (const auto& [name, text] : sections)
    if (!name.empty() && name != "trace" && name != "command" && name != "report" && name != "error" &&
        name != "detail" && name != "machine" && name != "prediction")
      throw std::runtime_error(path + ": there is no section called '" + name + "'");
  const std::size_t outcomes =
      sections.count("report") + sections.count("error") + sections.count("prediction");
  if (sections.count("trace") == 0 || outcomes != 1)
    throw std::runtime_error(path + ": needs a section trace, and one of report, prediction and error");
  return sections;
}

std::string section(const Sections& sections, const std::string& name) {
  const auto found = sections.find(name);
  return found == sections.end() ? "" : found->second;
}

template <typename Options>
Options options_of(const Sections& sections, void (*add)(CLI::App&, Options&)) {
  Options options;
  CLI::App command;
  add(command, options);
  std::istringstream stream(section(sections, "command"));
  std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  std::reverse(words.begin(), words.end());  // the parser takes them from the end
  command.parse(words);
  return options;
}

struct ReportOptions {
  DiagnosisOptions diagnosis;
  bool correct_clocks = false;
};

void add_report_options(CLI::App& command, ReportOptions& options) {
  tool::add_diagnosis_options(command, options.diagnosis);
  tool::add_clock_correction(command, options.correct_clocks);
}

// Checks that a report is valid against the shipped schema, and accounts for all of its waiting.
void check_report(const Report& report) {
  constexpr double kRounding = 1e-9;
  std::ostringstream json;
  write_json(report, json);
  const std::string complaints = schema_complaints(report_schema(), nlohmann::json::parse(json.str()));
  if (!complaints.empty()) throw std::runtime_error("the JSON report breaks its schema: " + complaints);
  if (std::abs(report.explained_s + report.unexplained_s - report.time.waiting_s) > kRounding)
    throw std::runtime_error("explained and unexplained waiting do not add up to all waiting");
}

// The lines of the report, or of the error if there is nothing to report.
std::vector<std::string> outcome(const Sections& sections) {
  Stages stages;
  try {
    if (sections.count("machine") != 0)
      return prediction_lines(parse_text(section(sections, "trace")), section(sections, "machine"),
                              options_of(sections, tool::add_scenario_options));
    const auto options = options_of(sections, add_report_options);
    Trace trace = parse_text(section(sections, "trace"));
    if (options.correct_clocks) trace = correct_clocks(Trace(trace), match(trace));
    const Report report = make_report(trace, options.diagnosis, stages);
    check_report(report);
    std::vector<std::string> lines = report_lines(report);
    if (sections.count("detail") != 0) {
      const std::vector<std::string> detail = detail_lines(report);
      lines.insert(lines.end(), detail.begin(), detail.end());
    }
    return lines;
  } catch (const TraceError& error) {
    if (sections.count("error") == 0) throw;
    return comparable_lines(error.what());
  }
}

int run_case(const std::string& path, bool print) {
  const Sections sections = read_case(path);
  const std::vector<std::string> actual = outcome(sections);
  if (print) {
    for (const std::string& line : actual) std::cout << line << '\n';
    return 0;
  }
  const std::vector<std::string> expected =
      comparable_lines(section(sections, "report") + section(sections, "detail") +
                       section(sections, "prediction") + section(sections, "error"));
  const std::string text = difference(expected, actual);
  if (text.empty()) return 0;
  std::cout << path << ": expected (-) and actual (+) lines differ\n" << text;
  return 1;
}

}  // namespace
}  // namespace waitdiag::test

int main(int argc, char** argv) {
  const bool print = argc == 3 && std::string_view(argv[1]) == "--print";
  if (argc != (print ? 3 : 2)) {
    std::cerr << "usage: waitdiag_cases [--print] FILE.case\n";
    return 2;
  }
  try {
    return waitdiag::test::run_case(argv[argc - 1], print);
  } catch (const std::exception& error) {
    std::cerr << argv[argc - 1] << ": " << error.what() << '\n';
    return 2;
  }
}
