// SPDX-License-Identifier: BSD-3-Clause
#include <ostream>

#include "analyzer/writers/csv/csv.hpp"
#include "analyzer/writers/csv/csv_row.hpp"

namespace waitdiag {

void write_scaling_csv(const ScalingReport& report, std::ostream& out) {
  out << "call_path,communication,constant,coefficient,power,logarithms,r_squared,smape,left_out,predicted_s";
  for (const std::uint64_t ranks : report.sizes) out << ",mean_s_" << ranks << ",most_s_" << ranks;
  out << '\n';
  const auto write_row = [&](const ScalingReport::Row& row) {
    const ScalingReport::Model& model = row.model;
    CsvRow line(out);
    line << row.call_path << std::string(row.communication ? "true" : "false") << model.constant
         << model.coefficient << model.power << static_cast<std::int64_t>(model.logarithms) << model.r_squared
         << model.smape << model.left_out << row.predicted_s;
    for (std::size_t i = 0; i < row.mean_s.size(); ++i) line << row.mean_s[i] << row.most_s[i];
  };
  write_row(report.runtime);
  for (const ScalingReport::Row& row : report.rows) write_row(row);
}

}  // namespace waitdiag
