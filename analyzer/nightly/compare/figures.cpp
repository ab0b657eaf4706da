// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/compare/figures.hpp"

#include <cmath>

namespace waitdiag {
namespace {

double as_number(std::uint64_t count) {
  return static_cast<double>(count);
}

// Reports that were stored before bytes were counted have none.
double bytes_of(const Report& report, std::uint64_t operations, std::uint64_t bytes) {
  return operations > 0 && report.call_sites.empty() ? std::nan("") : as_number(bytes);
}

// The recorder's light profile counts calls, not operations.
double collectives_of(const Report& report) {
  return report.run.profile == "light" ? std::nan("") : as_number(report.run.collectives);
}

}  // namespace

const std::vector<FigureOf>& figures_compared() {
  using Unit = Comparison::Unit;
  static const std::vector<FigureOf> figures = {
      {"runtime_s", "run time", Unit::Seconds, [](const Report& r) { return r.run.runtime_s; }},
      {"computation_s", "computation, all ranks", Unit::Seconds,
       [](const Report& r) { return r.time.computation_s; }},
      {"mpi_s", "in MPI calls, all ranks", Unit::Seconds, [](const Report& r) { return r.time.mpi_s; }},
      {"waiting_s", "waiting, all ranks", Unit::Seconds, [](const Report& r) { return r.time.waiting_s; }},
      {"parallel_efficiency", "parallel efficiency", Unit::Share,
       [](const Report& r) { return r.efficiency.parallel; }},
      {"load_balance", "load balance", Unit::Share,
       [](const Report& r) { return r.efficiency.load_balance; }},
      {"communication_efficiency", "communication efficiency", Unit::Share,
       [](const Report& r) { return r.efficiency.communication; }},
      {"mpi_calls", "MPI calls", Unit::Count, [](const Report& r) { return as_number(r.run.mpi_calls); }},
      {"messages", "messages", Unit::Count, [](const Report& r) { return as_number(r.run.messages); }},
      {"message_bytes", "bytes in messages", Unit::Bytes,
       [](const Report& r) { return bytes_of(r, r.run.messages, r.run.message_bytes); }},
      {"collectives", "collective operations", Unit::Count,
       [](const Report& r) { return collectives_of(r); }},
      {"collective_bytes", "bytes in collective operations", Unit::Bytes,
       [](const Report& r) { return bytes_of(r, r.run.collectives, r.run.collective_bytes); }},
  };
  return figures;
}

}  // namespace waitdiag
