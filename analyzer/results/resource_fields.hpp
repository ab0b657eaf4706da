// The fields of what ranks and nodes used, and what kept ranks off their processors.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/results/fields.hpp"
#include "analyzer/results/report.hpp"

namespace waitdiag {

void fields(auto& visit, Of<Report::RankResources::Faults> auto& row) {
  visit("minor", row.minor, "pages that it touched first");
  visit("major", row.major, "pages that it had to wait for, from a disk");
  visit("migrations", row.migrations,
        "of threads that call MPI, to another processor; 0 also where nobody tells");
}

void fields(auto& visit, Of<Report::RankResources> auto& row) {
  visit("rank", row.rank);
  visit("processors", row.processors, "processor time per time");
  visit("most_resident_bytes", row.most_resident_bytes);
  visit("processors_over_time", row.processors_over_time);
  visit("resident_bytes_over_time", row.resident_bytes_over_time);
  visit("faults", row.faults, "", only_if(row.faults.has_value()));
}

void fields(auto& visit, Of<Report::NodeResources> auto& row) {
  visit("node", row.node);
  visit("processors", null_for(row.processors, 0), "null: not known");
  visit("runnable", row.runnable, "threads that ran or wanted to, on average");
  visit("most_runnable", row.most_runnable);
  visit("stolen_s", row.stolen_s, "taken from all its processors together by the host of a virtual machine",
        only_if(row.stolen_s.has_value()));
  visit("stolen_share", row.stolen_share, "of the time for which threads wanted to run on them",
        only_if(row.stolen_s.has_value()));
  const FieldTraits known = only_if(row.busy_with_others.has_value());
  visit("busy_with_others", row.busy_with_others, "processors, by processes that are no ranks here", known);
}

void fields(auto& visit, Of<TakenProcessors> auto& row) {
  visit("node", row.node);
  visit("ranks", row.ranks, "that lost their processors");
  visit("taken_s", row.taken_s, "while other threads ran");
  visit("taken", row.taken, "times");
  const FieldTraits known = only_if(row.by_others_s.has_value());
  visit("by_others_s", row.by_others_s, "by other processes, estimated; absent: not known", known);
  visit("by_ranks", row.by_ranks, "ranks that may have had the rest; a rank itself: its other threads");
  visit("text", row.text);
}

void fields(auto& visit, Of<Report::OffProcessor> auto& row) {
  visit("rank", row.rank);
  visit("blocked_s", row.blocked_s, "waiting for something");
  visit("blocked", row.blocked, "times");
  visit("preempted_s", row.preempted_s, "while other threads ran");
  visit("preempted", row.preempted, "times");
  const FieldTraits in_mpi = only_if(row.preempted_in_mpi > 0);
  visit("preempted_in_mpi_s", row.preempted_in_mpi_s,
        "while other threads ran, in MPI calls and behind what these waited for; absent: none", in_mpi);
  visit("preempted_in_mpi", row.preempted_in_mpi, "such calls", in_mpi);
  visit("perhaps_s", row.perhaps_s, "nobody knows why, or whether");
  visit("page_faults_s", row.page_faults_s, "waiting for pages from a disk (major page faults)", kLater);
  visit("page_faults", row.page_faults, "times", kLater);
  visit("io_s", row.io_s, "of blocked_s: in calls that read, write or wait for files, pipes and sockets",
        kLater);
  visit("sleep_s", row.sleep_s, "of blocked_s: asleep", kLater);
  visit("threads_s", row.threads_s, "of blocked_s: waiting for other threads, their locks included", kLater);
  visit("processes_s", row.processes_s, "of blocked_s: waiting for other processes", kLater);
  visit("signals_s", row.signals_s, "of blocked_s: waiting for signals", kLater);
}

void fields(auto& visit, Of<CountedRank> auto& row) {
  visit("rank", row.rank);
  visit("instructions", row.instructions);
  visit("cycles", row.cycles);
  visit("seconds", row.seconds, "on a processor");
}

}  // namespace waitdiag
