// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <ostream>

#include "analyzer/writers/exports/call_sums.hpp"

namespace waitdiag {
namespace {

// A semicolon or a line break in a name would be taken for a separator of the format.
std::string folded_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ';' || c == '\n' || c == '\r'; }, ':');
  return name;
}

class FoldedWriter {
 public:
  FoldedWriter(const Trace& trace, std::ostream& out) : trace_(trace), out_(out) {}
  void line(const char* kind, CallPathId path, double ns, const std::string& leaf = "") {
    const long long count = std::llround(ns);
    if (count <= 0) return;
    out_ << kind;
    for (const std::string& frame : frames_of(trace_, path)) out_ << ';' << folded_name(frame);
    if (path == kNoCallPath) out_ << ";[not known]";
    if (!leaf.empty()) out_ << ';' << folded_name(leaf);
    out_ << ' ' << count << '\n';
  }

 private:
  const Trace& trace_;
  std::ostream& out_;
};

}  // namespace

void write_folded(const ExportView& view, std::ostream& out) {
  const CallSums sums = call_sums(view);
  FoldedWriter writer(view.trace, out);
  for (const auto& [path, ns] : sums.computation) writer.line("computation", path, ns);
  for (const auto& [path, ns] : sums.mpi) writer.line("mpi", path, ns);
  for (const auto& [key, ns] : sums.waiting)
    writer.line("waiting", key.first, ns, std::string(pattern(key.second).title));
  for (const auto& [path, ns] : sums.caused) writer.line("caused", path, ns);
}

}  // namespace waitdiag
