// The report as CSV tables: its lists as they are, and some that are composed here.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/csv/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/results/report_document.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/recorded_part.hpp"
#include "analyzer/writers/csv/csv_row.hpp"
#include "analyzer/writers/csv/csv_table.hpp"

namespace waitdiag {
namespace {

void waits(const Report& report, std::ostream& out) {
  write_csv_list(out, report.waits, {"pattern", "title", "waiting", "part_of", "total_s", "count"});
}

void waits_by_rank(const Report& report, std::ostream& out) {
  out << "pattern,rank,seconds\n";
  for (const Report::Wait& wait : report.waits)
    for (const Report::ByRank& entry : wait.by_rank)
      CsvRow(out) << wait.pattern << entry.rank << entry.seconds;
}

void wait_candidates(const Report& report, std::ostream& out) {
  out << "pattern,rank,call_path,late_rank,count,seconds,charged_s\n";
  for (const Report::Wait& wait : report.waits) {
    for (const Report::Candidate& candidate : wait.candidates)
      CsvRow(out) << wait.pattern << candidate.rank << candidate.call_path << candidate.late_rank
                  << candidate.count << candidate.seconds << candidate.charged_s;
    if (wait.other_candidates)
      CsvRow(out) << wait.pattern << "" << fmt::format("({} more)", wait.other_candidates->entries) << ""
                  << wait.other_candidates->count << wait.other_candidates->seconds
                  << wait.other_candidates->charged_s;
  }
}

std::string all_ranks(const Report::Cause& cause) {
  const std::vector<std::int64_t> ranks = named_ranks(cause.ranks);
  return format_ranks(ranks, ranks.size());
}

void causes(const Report& report, std::ostream& out) {
  out << "call_path,function,file,line,kind,waiting_s,direct_s,indirect_s,excess_s,share_of_waiting,why,"
         "correlation,gain_runtime_s,leading_ranks,action,action_command\n";
  for (const Report::Cause& cause : report.causes)
    CsvRow(out) << cause.call_path << cause.function << cause.file << std::uint64_t{cause.line} << cause.kind
                << cause.waiting_s << cause.direct_s << cause.indirect_s << cause.excess_s
                << cause.share_of_waiting << cause.why.text << cause.why.correlation.value_or(std::nan(""))
                << (cause.gain ? cause.gain->runtime_s : std::nan("")) << all_ranks(cause)
                << (cause.action ? cause.action->text : "") << (cause.action ? cause.action->command : "");
}

void causes_by_rank(const Report& report, std::ostream& out) {
  out << "call_path,rank,waiting_s\n";
  for (const Report::Cause& cause : report.causes)
    for (const Report::ByRank& entry : cause.ranks)
      CsvRow(out) << cause.call_path << entry.rank << entry.seconds;
}

// One line for each rank and column of steps; visits are empty where they are not known.
void causes_by_step(const Report& report, std::ostream& out) {
  out << "call_path,rank,first_step,last_step,seconds,visits\n";
  for (const Report::Cause& cause : report.causes) {
    const Report::Cause::BySteps& table = cause.by_step;
    for (std::size_t rank = 0; rank < table.time_s.size(); ++rank) {
      for (std::size_t column = 0; column < table.time_s[rank].size(); ++column) {
        const std::uint64_t first = column * table.steps_per_column,
                            last = std::min(first + table.steps_per_column, report.run.steps) - 1;
        CsvRow(out) << cause.call_path << static_cast<std::uint64_t>(rank) << step_number(report.run, first)
                    << step_number(report.run, last) << table.time_s[rank][column]
                    << (table.visits.empty() ? std::nan("") : table.visits[rank][column]);
      }
    }
  }
}

void message_sizes(const Report& report, std::ostream& out) {
  out << "above_bytes,up_to_bytes,same_chip_messages,same_chip_bytes,same_node_messages,same_node_bytes,"
         "other_node_messages,other_node_bytes,"
         "unknown_layer_messages,unknown_layer_bytes\n";
  for (const Report::MessageSizes& row : report.message_sizes)
    CsvRow(out) << row.above_bytes << (row.up_to_bytes ? std::to_string(*row.up_to_bytes) : "")
                << row.same_chip.messages << row.same_chip.bytes << row.same_node.messages
                << row.same_node.bytes << row.other_node.messages << row.other_node.bytes
                << row.unknown_layer.messages << row.unknown_layer.bytes;
}

// One line for each rank and part of the run (all parts are equally long); values without readings are empty.
void resources_over_time(const Report& report, std::ostream& out) {
  out << "rank,begin_s,end_s,processors,resident_bytes\n";
  for (const Report::RankResources& row : report.rank_resources)
    for (std::size_t part = 0; part < row.processors_over_time.size(); ++part) {
      const std::optional<std::uint64_t> resident = row.resident_bytes_over_time[part];
      const double begin = static_cast<double>(part) * report.resources_column_s;
      if (begin >= report.run.runtime_s) break;
      CsvRow(out) << row.rank << begin << std::min(begin + report.resources_column_s, report.run.runtime_s)
                  << row.processors_over_time[part].value_or(std::nan(""))
                  << (resident ? std::to_string(*resident) : "");
    }
}

void files(const Report& report, std::ostream& out) {
  write_csv_list(out, report.files ? report.files->by_call_path : std::vector<Report::FileAccess>(),
                 {"call_path"});
}

void efficiency(const Report& report, std::ostream& out) {
  std::vector<Report::Efficiency> trees{report.efficiency, report.efficiency_on_critical_path};
  if (report.efficiency_by_replay) trees.push_back(*report.efficiency_by_replay);
  write_csv_list(out, trees);
}

void efficiency_by_part(const Report& report, std::ostream& out) {
  out << "part,first_step,last_step,time_s,computation_s,mpi_s,waiting_s,parallel,load_balance,communication,"
         "serialisation,transfer,serialisation_on_critical_path,transfer_on_critical_path,critical_path_s\n";
  const auto step = [](std::optional<std::uint64_t> number) {
    return number ? std::to_string(*number) : std::string();
  };
  for (const Report::PartEfficiency& row : report.efficiency_by_part)
    CsvRow(out) << row.part << step(row.first_step) << step(row.last_step) << row.time_s << row.computation_s
                << row.mpi_s << row.waiting_s << row.tree.parallel << row.tree.load_balance
                << row.tree.communication << row.tree.serialisation << row.tree.transfer
                << row.on_path.serialisation << row.on_path.transfer << row.path_s;
}

// A list of the report, row by row.
template <auto List>
void list(const Report& report, std::ostream& out) {
  write_csv_list(out, report.*List);
}

void critical_path(const Report& report, std::ostream& out) {
  write_csv_list(out, report.critical_path.by_call_path);
}

struct Table {
  const char* file;
  void (*write)(const Report&, std::ostream&);
};

constexpr std::array<Table, 20> kTables{{{"waits.csv", waits},
                                         {"delay_costs.csv", list<&Report::delay_costs>},
                                         {"critical_path.csv", critical_path},
                                         {"waits_by_rank.csv", waits_by_rank},
                                         {"wait_candidates.csv", wait_candidates},
                                         {"clock_violations.csv", list<&Report::clock_violations>},
                                         {"causes.csv", causes},
                                         {"causes_by_rank.csv", causes_by_rank},
                                         {"causes_by_step.csv", causes_by_step},
                                         {"hotspots.csv", list<&Report::hotspots>},
                                         {"resources.csv", list<&Report::rank_resources>},
                                         {"resources_over_time.csv", resources_over_time},
                                         {"files.csv", files},
                                         {"message_sizes.csv", message_sizes},
                                         {"message_pairs.csv", list<&Report::message_pairs>},
                                         {"communicators.csv", list<&Report::communicators>},
                                         {"characteristics.csv", list<&Report::characteristics>},
                                         {"operation_classes.csv", list<&Report::operation_classes>},
                                         {"efficiency.csv", efficiency},
                                         {"efficiency_by_part.csv", efficiency_by_part}}};

}  // namespace

void write_csv(const Report& report, const std::filesystem::path& directory) {
  for (const Table& table : kTables)
    write_csv_table(directory, table.file, [&](std::ostream& out) { table.write(report, out); });
}

}  // namespace waitdiag
