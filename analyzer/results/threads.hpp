// What the threads of ranks did besides those that call MPI, for a report.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/results/fields.hpp"

namespace waitdiag {

// The POP tree of hybrid programs: parallel = mpi * openmp, openmp = serial * balance * contention * tasks *
// barriers * overhead.
struct HybridEfficiency {
  std::uint64_t threads = 0;  // of a rank, at most
  double parallel = 0, mpi = 0, openmp = 0, serial = 0, balance = 0, overhead = 0;
  double contention = 1, tasks = 1, barriers = 1;
};

// Teams of threads that ranks opened (OpenMP), as far as they were recorded.
struct Teams : HybridEfficiency {
  struct Team {  // all of one rank on one call path
    std::string call_path{}, function{};
    std::int64_t rank = 0;
    std::uint64_t threads = 0, regions = 0, left_out = 0;  // left out: not all of their threads is known
    double time_s = 0;                                     // of the thread that opened them
    // Computed by a thread, and by the slowest one between each two barriers.
    double mean_s = 0, slowest_s = 0;
    // Of all threads: for the slowest one; what the team took longer because threads waited for their turn in
    // critical and ordered sections and for locks, or for tasks; for barriers to end; for the team to begin and end.
    double waiting_s = 0, contention_s = 0, tasks_s = 0, barriers_s = 0, overhead_s = 0;
    double turns_s = 0;       // how long all threads waited for such sections and locks
    double task_waits_s = 0;  // how long they waited for tasks
    std::int64_t busiest_thread = 0;
    double busiest_s = 0;
  };
  double mpi_inside_s = 0;  // of all ranks: MPI calls that must have been inside of teams; in none of these
  std::vector<Team> by_call_path{};  // most waiting first
};

// A thread that the others of its team waited for.
struct LateThread {
  std::int64_t rank = 0;
  std::optional<std::int64_t> thread{};  // its number in the team; none: not the same one each time
  std::uint64_t threads = 0;
  std::string team{};       // call path that opens the team
  std::string opened_by{};  // function that does
  std::string function{};   // with which the thread, or all of them, took longer; "": not known
  double gain_s = 0;        // by which the rank would be faster with even threads
};

void fields(auto& visit, Of<LateThread> auto& late) {
  visit("rank", late.rank);
  visit("thread", late.thread, "its number in the team; null: not the same one each time");
  visit("threads", late.threads, "of the team");
  visit("team", late.team, "call path that opens the team");
  visit("opened_by", late.opened_by, "function that opens the team");
  visit("function", late.function,
        "with which the thread took longer than the others; where it is not the same one, the team than "
        "other ranks");
  visit("gain_s", late.gain_s, "by which the rank would be faster with even threads", kLater);
}

// Of what is or has a HybridEfficiency as its base.
void hybrid_fields(auto& visit, auto& one) {
  visit("threads", one.threads, "of a rank, at most");
  visit("parallel", one.parallel, "computation of all threads by run time of all; mpi * openmp", kShare);
  visit("mpi", one.mpi, "time outside of MPI by run time", kShare);
  visit("openmp", one.openmp,
        "computation by time outside of MPI; serial * balance * contention * tasks * barriers * overhead",
        kShare);
  visit("serial", one.serial, "what is left where only one thread computes", kShare);
  visit("balance", one.balance, "what is left where threads wait for the slowest one", kShare);
  visit("contention", one.contention,
        "what is left where critical and ordered sections and locks make threads wait for their turn",
        kShare | kLater);
  visit("tasks", one.tasks, "what is left where threads wait for tasks that others execute or make",
        kShare | kLater);
  visit("barriers", one.barriers, "what is left where barriers end later than their last thread comes",
        kShare | kLater);
  visit("overhead", one.overhead, "what is left where teams begin and end", kShare);
}

void fields(auto& visit, Of<HybridEfficiency> auto& one) {
  hybrid_fields(visit, one);
}

void fields(auto& visit, Of<Teams::Team> auto& row) {
  visit("rank", row.rank);
  visit("call_path", row.call_path, "of who opened the regions");
  visit("function", row.function);
  visit("threads", row.threads);
  visit("regions", row.regions);
  visit("left_out", row.left_out, "further regions, of whose threads not all is known", kLater);
  visit("time_s", row.time_s, "of the thread that opened them, until their teams had ended");
  visit("mean_s", row.mean_s, "computed by a thread");
  visit("slowest_s", row.slowest_s, "computed by the slowest thread of each region");
  visit("waiting_s", row.waiting_s, "of all threads for the slowest one");
  visit("contention_s", row.contention_s,
        "of all threads: what teams took longer as threads waited for their turn in critical and ordered "
        "sections and for locks",
        kLater);
  visit("turns_s", row.turns_s, "how long threads waited for their turn, added up", kLater);
  visit("tasks_s", row.tasks_s, "of all threads: what teams took longer as threads waited for tasks", kLater);
  visit("task_waits_s", row.task_waits_s, "how long threads waited for tasks, added up", kLater);
  visit("barriers_s", row.barriers_s, "of all threads, for barriers to end after the last thread has come",
        kLater);
  visit("overhead_s", row.overhead_s, "of all threads, for teams to begin and end");
  visit("busiest_thread", row.busiest_thread, "its number in the team, from 0");
  visit("busiest_s", row.busiest_s, "computed by that one");
}

void fields(auto& visit, Of<Teams> auto& teams) {
  hybrid_fields(visit, teams);
  visit("mpi_inside_s", teams.mpi_inside_s,
        "of MPI calls that must have been inside of teams, which is in none of these", kLater);
  visit("by_call_path", teams.by_call_path, "most waiting first");
}

// What threads that never called MPI computed, for every rank that had such threads.
struct WorkerThreads {
  std::int64_t rank = 0;
  std::uint64_t threads = 0;
  std::uint64_t samples = 0;      // sampling periods
  std::optional<double> cpu_s{};  // of all of them; absent: the archive does not say how long a period is
  struct Function {
    std::string function{}, file{};
    std::uint32_t line = 0;
    double share = 0;  // of the samples
  };
  std::vector<Function> functions{};  // largest first
};

}  // namespace waitdiag
