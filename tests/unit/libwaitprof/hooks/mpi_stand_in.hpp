// A stand-in for MPI: the local inquiries that hooks make, answered from a table that a test fills.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <map>
#include <vector>

namespace stand_in {

struct FakeComm {
  std::vector<int> members;  // world ranks; this process is world rank 0 unless `rank` says otherwise
  std::vector<int> remote;   // inter-communicators
  int rank = 0;
  std::vector<int> dims, periods, coords;  // Cartesian
};

struct State {
  std::map<MPI_Comm, FakeComm> comms;
  std::map<MPI_Datatype, MPI_Count> type_sizes;  // derived types
  int error_class = MPI_SUCCESS;                 // of every error code
  int thread_level = MPI_THREAD_SINGLE;
  bool other_ranks_ready = true;  // their contribution to reductions
  int barriers = 0;
  MPI_Comm parent = MPI_COMM_NULL;  // of a job that was spawned
  int open_sessions = 0;
};

State& state();

}  // namespace stand_in
