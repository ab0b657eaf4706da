// What regions and call paths are called in the text notation: there, regions are told apart by name, so a
// second "eos" is labelled "eos~2".
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <map>
#include <set>
#include <string>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

class RegionLabels {
 public:
  explicit RegionLabels(const Trace& trace);  // which must outlive it

  // The `region` lines: for regions of which more than the name is known.
  void write(std::ostream& out) const;

  std::string label(RegionId id) const;
  std::string path(CallPathId id) const;  // "main@12/solve"

 private:
  const Trace& trace_;
  std::set<std::string> shared_names_{};
  std::map<RegionId, std::string> labels_{};  // of the regions that occur in the text
};

}  // namespace waitdiag
