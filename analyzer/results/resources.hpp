// What ranks used of processors and memory, and when they were off a processor, for a report.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace waitdiag {

struct RankResources {
  std::int64_t rank = 0;
  double processors = 0;  // processor time per time
  std::uint64_t most_resident_bytes = 0;
  std::vector<std::optional<double>> processors_over_time{};  // equal parts of the run
  std::vector<std::optional<std::uint64_t>> resident_bytes_over_time{};
  struct Faults {
    std::uint64_t minor = 0, major = 0, migrations = 0;
  };
  std::optional<Faults> faults{};
};
struct NodeResources {
  std::string node{};
  std::uint64_t processors = 0;  // 0: not known
  double runnable = 0;           // threads that ran or wanted to, on average
  std::uint64_t most_runnable = 0;
  std::optional<double> stolen_s{};  // by the host of a virtual machine, from all its processors together
  double stolen_share = 0;           // of the time for which threads wanted to run on them
  // That processes other than the recorded ranks kept busy, on average.
  std::optional<double> busy_with_others{};
};

struct OffProcessor {
  std::int64_t rank = 0;
  double blocked_s = 0, preempted_s = 0, perhaps_s = 0;  // perhaps: nobody knows why, or whether
  std::uint64_t blocked = 0, preempted = 0;              // times
  double preempted_in_mpi_s = 0;                         // in MPI calls, behind what they waited for
  std::uint64_t preempted_in_mpi = 0;                    // such calls
  double page_faults_s = 0;                              // waiting for pages from a disk
  std::uint64_t page_faults = 0;
  // Of blocked_s, what calls of libraries tell.
  double io_s = 0, sleep_s = 0, threads_s = 0, processes_s = 0, signals_s = 0;
};

// What ranks of a node lost to other threads, but for what they lost while they waited, and who had it.
struct TakenProcessors {
  std::string node{};
  std::vector<std::int64_t> ranks{};  // that lost it, ascending
  double taken_s = 0;
  std::uint64_t taken = 0;              // times
  std::optional<double> by_others_s{};  // by other processes; absent: not known
  std::vector<std::int64_t>
      by_ranks{};  // ranks that had the rest, ascending; of one's own: its other threads
  std::string text{};
};

// By hardware counters, in the program's code outside of MPI.
struct CountedRank {
  std::int64_t rank = 0;
  double instructions = 0, cycles = 0, seconds = 0;  // seconds: on a processor
};

// The same of a call path, by rank: more work on those that are late, or slower work.
struct WorkDifference {
  double instructions = 0, other_instructions = 0;  // of a late rank, of another one; 0: no other one runs it
  double ipc = 0, other_ipc = 0;                    // instructions per cycle
  double hz = 0, other_hz = 0;                      // cycles per second on a processor
};

}  // namespace waitdiag
