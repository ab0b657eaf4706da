// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <ostream>
#include <set>

#include "analyzer/writers/csv/csv.hpp"
#include "analyzer/writers/csv/csv_row.hpp"

namespace waitdiag {

void write_check_csv(const CheckResult& result, std::ostream& out) {
  std::set<std::string> columns;
  for (const CheckResult::Night& night : result.nights)
    for (const auto& [id, value] : night.medians) columns.insert(id);
  {
    CsvRow head(out);
    for (const char* name : {"time", "commit", "case", "runs", "verdict"}) head << name;
    for (const std::string& id : columns) head << id;
  }
  for (const CheckResult::Night& night : result.nights) {
    CsvRow row(out);
    row << night.time << night.commit << result.case_name << night.runs << word_of(night.verdict);
    for (const std::string& id : columns) {
      const auto found = night.medians.find(id);
      row << (found == night.medians.end() ? std::nan("") : found->second);
    }
  }
}

}  // namespace waitdiag
