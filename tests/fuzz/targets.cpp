// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/targets.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/formats/read/read.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/writers/json/json.hpp"
#include "tests/support/generated/generated_run.hpp"

namespace waitdiag::fuzz {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void finding(const std::string& what) {
  std::cerr << "finding: " << what << "\n";
  std::abort();
}

// Checks that a message is one line, printable and not empty.
void check_message(const std::string& message) {
  if (message.empty()) finding("an error without a message");
  if (message.find('\n') != std::string::npos) finding("a message of several lines: " + message);
}

void use(const Trace& trace) {
  std::ostringstream text, json;
  write_text(trace, text);
  Stages stages;
  const Report report = make_report(trace, {}, stages);
  write_json(report, json);
  const double waiting = report.time.waiting_s;
  if (!(report.explained_s <= waiting * (1 + 1e-9) + 1e-9)) finding("more explained than waited");
}

}  // namespace

void read_as_text(std::string_view bytes) {
  try {
    use(parse_text(bytes));
  } catch (const TraceError& error) {
    check_message(error.what());
  }
}

ArchiveTarget::ArchiveTarget() {
  using fixtures::RunPattern;
  using fixtures::RunStyle;
  if (directory_.path().empty()) finding("no temporary directory");
  fixtures::write_generated_run(directory_ / "unwound", {.ranks = 2, .steps = 3});
  fixtures::write_generated_run(
      directory_ / "instrumented",
      {.pattern = RunPattern::HaloBlocking, .style = RunStyle::Instrumented, .ranks = 2, .steps = 3});
  for (const char* archive : {"unwound", "instrumented"}) {
    for (const char* file : {"traces.otf2", "traces.def", "traces/0.evt", "traces/1.evt", "traces/0.def"}) {
      const fs::path path = directory_.path() / archive / file;
      files_.push_back({directory_ / archive, path, content_of(path)});
    }
  }
}

void ArchiveTarget::read(std::string_view bytes) const {
  if (bytes.empty()) return;
  const File& file = files_[static_cast<unsigned char>(bytes[0]) % files_.size()];
  write_file(file.path, std::string(bytes.substr(1)));
  try {
    use(read_archive(file.archive, {.resolve_symbols = false}));
  } catch (const TraceError& error) {
    check_message(error.what());
  }
  write_file(file.path, file.content);
}

std::vector<std::string> ArchiveTarget::seeds() const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < files_.size(); ++i) result.push_back(static_cast<char>(i) + files_[i].content);
  return result;
}

}  // namespace waitdiag::fuzz
