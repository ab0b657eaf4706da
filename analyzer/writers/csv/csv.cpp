// The report as CSV tables: one function per table, one CsvRow per line.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/csv/csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "analyzer/wording/recorded_part.hpp"
#include "analyzer/writers/csv/csv_row.hpp"

namespace waitdiag {
namespace {

void waits(const Report& report, std::ostream& out) {
  out << "pattern,title,waiting,part_of,total_s,count\n";
  for (const Report::Wait& wait : report.waits)
    CsvRow(out) << wait.pattern << wait.title << std::string(wait.waiting ? "true" : "false") << wait.part_of
                << wait.total_s << wait.count;
}

void waits_by_rank(const Report& report, std::ostream& out) {
  out << "pattern,rank,seconds\n";
  for (const Report::Wait& wait : report.waits)
    for (const Report::ByRank& entry : wait.by_rank)
      CsvRow(out) << wait.pattern << entry.rank << entry.seconds;
}

void wait_candidates(const Report& report, std::ostream& out) {
  out << "pattern,rank,call_path,late_rank,count,seconds,charged_s\n";
  for (const Report::Wait& wait : report.waits)
    for (const Report::Candidate& candidate : wait.candidates)
      CsvRow(out) << wait.pattern << candidate.rank << candidate.call_path << candidate.late_rank
                  << candidate.count << candidate.seconds << candidate.charged_s;
}

void clock_violations(const Report& report, std::ostream& out) {
  out << "from,to,in,count,largest_s\n";
  for (const Report::ClockViolation& pair : report.clock_violations)
    CsvRow(out) << pair.from << pair.to << pair.in << pair.count << pair.largest_s;
}

void causes(const Report& report, std::ostream& out) {
  out << "call_path,function,file,line,kind,waiting_s,direct_s,indirect_s,excess_s,share_of_waiting,why,"
         "correlation,gain_runtime_s\n";
  for (const Report::Cause& cause : report.causes)
    CsvRow(out) << cause.call_path << cause.function << cause.file << std::uint64_t{cause.line} << cause.kind
                << cause.waiting_s << cause.direct_s << cause.indirect_s << cause.excess_s
                << cause.share_of_waiting << cause.why.text << cause.why.correlation.value_or(std::nan(""))
                << (cause.gain ? cause.gain->runtime_s : std::nan(""));
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

void hotspots(const Report& report, std::ostream& out) {
  out << "call_path,function,file,line,share,seconds,visits\n";
  for (const Report::Hotspot& hotspot : report.hotspots)
    CsvRow(out) << hotspot.call_path << hotspot.function << hotspot.file << std::uint64_t{hotspot.line}
                << hotspot.share << hotspot.seconds << hotspot.visits;
}

void delay_costs(const Report& report, std::ostream& out) {
  out << "pattern,short_s,long_s,direct_s,indirect_s,propagating_s,terminal_s\n";
  for (const Report::DelayCost& cost : report.delay_costs)
    CsvRow(out) << cost.pattern << cost.short_s << cost.long_s << cost.direct_s << cost.indirect_s
                << cost.propagating_s << cost.terminal_s;
}

void critical_path(const Report& report, std::ostream& out) {
  out << "call_path,seconds,imbalance_s\n";
  for (const Report::CriticalPath::Entry& entry : report.critical_path.by_call_path)
    CsvRow(out) << entry.call_path << entry.seconds << entry.imbalance_s;
}

void message_sizes(const Report& report, std::ostream& out) {
  out << "above_bytes,up_to_bytes,same_chip_messages,same_chip_bytes,same_node_messages,same_node_bytes,"
         "other_node_messages,other_node_bytes,"
         "unknown_layer_messages,unknown_layer_bytes\n";
  for (const Report::MessageSizes& row : report.message_sizes)
    CsvRow(out) << row.above_bytes << (row.ends ? std::to_string(row.up_to_bytes) : "")
                << row.same_chip.messages << row.same_chip.bytes << row.same_node.messages
                << row.same_node.bytes << row.other_node.messages << row.other_node.bytes
                << row.unknown_layer.messages << row.unknown_layer.bytes;
}

void resources(const Report& report, std::ostream& out) {
  out << "rank,processors,most_resident_bytes\n";
  for (const Report::RankResources& row : report.rank_resources)
    CsvRow(out) << row.rank << row.processors << row.most_resident_bytes;
}

// One line for each rank and part of the run, of which all are equally long; what was not read is empty.
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
  out << "call_path,calls,seconds,read_bytes,written_bytes\n";
  if (!report.files) return;
  for (const Report::FileAccess& row : report.files->by_call_path)
    CsvRow(out) << row.call_path << row.calls << row.seconds << row.read_bytes << row.written_bytes;
}

void message_pairs(const Report& report, std::ostream& out) {
  out << "from,to,messages,bytes\n";
  for (const Report::MessagePair& pair : report.message_pairs)
    CsvRow(out) << pair.from << pair.to << pair.messages << pair.bytes;
}

void communicators(const Report& report, std::ostream& out) {
  out << "name,size,messages,bytes,collectives,collective_bytes,collective_s,waiting_s\n";
  for (const Report::CommunicatorUse& use : report.communicators)
    CsvRow(out) << use.name << use.size << use.messages << use.bytes << use.collectives
                << use.collective_bytes << use.collective_s << use.waiting_s;
}

void characteristics(const Report& report, std::ostream& out) {
  out << "part,time_s,efficiency,processor_time_s,productive_s,lost_s,communication_s,"
         "insufficient_parallelism_s,idle_s,desynchronised_before_s,desynchronised_after_s,overlap_s\n";
  for (const Report::Characteristics& row : report.characteristics)
    CsvRow(out) << row.part << row.time_s << row.efficiency << row.processor_time_s << row.productive_s
                << row.lost_s << row.communication_s << row.insufficient_parallelism_s << row.idle_s
                << row.desynchronised_before_s << row.desynchronised_after_s << row.overlap_s;
}

void operation_classes(const Report& report, std::ostream& out) {
  out << "class,count,time_s,waiting_s,desynchronised_before_s,desynchronised_after_s,overlap_s\n";
  for (const Report::OperationClass& entry : report.operation_classes)
    CsvRow(out) << entry.id << entry.count << entry.time_s << entry.waiting_s << entry.desynchronised_before_s
                << entry.desynchronised_after_s << entry.overlap_s;
}

void efficiency(const Report& report, std::ostream& out) {
  out << "parallel,load_balance,communication,serialisation,transfer,method\n";
  const auto write = [&out](const Report::Efficiency& tree) {
    CsvRow(out) << tree.parallel << tree.load_balance << tree.communication << tree.serialisation
                << tree.transfer << tree.method;
  };
  write(report.efficiency);
  write(report.efficiency_on_critical_path);
  if (report.efficiency_by_replay) write(*report.efficiency_by_replay);
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

struct Table {
  const char* file;
  void (*write)(const Report&, std::ostream&);
};

constexpr std::array<Table, 20> kTables{{{"waits.csv", waits},
                                         {"delay_costs.csv", delay_costs},
                                         {"critical_path.csv", critical_path},
                                         {"waits_by_rank.csv", waits_by_rank},
                                         {"wait_candidates.csv", wait_candidates},
                                         {"clock_violations.csv", clock_violations},
                                         {"causes.csv", causes},
                                         {"causes_by_rank.csv", causes_by_rank},
                                         {"causes_by_step.csv", causes_by_step},
                                         {"hotspots.csv", hotspots},
                                         {"resources.csv", resources},
                                         {"resources_over_time.csv", resources_over_time},
                                         {"files.csv", files},
                                         {"message_sizes.csv", message_sizes},
                                         {"message_pairs.csv", message_pairs},
                                         {"communicators.csv", communicators},
                                         {"characteristics.csv", characteristics},
                                         {"operation_classes.csv", operation_classes},
                                         {"efficiency.csv", efficiency},
                                         {"efficiency_by_part.csv", efficiency_by_part}}};

}  // namespace

void write_csv(const Report& report, const std::filesystem::path& directory) {
  for (const Table& table : kTables)
    write_csv_table(directory, table.file, [&](std::ostream& out) { table.write(report, out); });
}

}  // namespace waitdiag
