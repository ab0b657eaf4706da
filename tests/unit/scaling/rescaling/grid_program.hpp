// Programs whose traces are known for every number of ranks, to be compared with rescaled runs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag::test {

struct GridProgram {
  int ranks = 4;
  int steps = 5;
  int cells = 4096;           // along each edge of the plane
  bool cartesian = true;      // the archive has the grid that MPI_Cart_create made
  bool guarded = false;       // rank 0 makes an additional call
  bool stray = false;         // so does a rank that no rule describes
  bool at_edges = true;       // ranks at an edge call MPI_Irecv and MPI_Isend, with MPI_PROC_NULL
  double extra_of_first = 0;  // rank 0 also spends this many ns for each rank, in "collect"
  bool row_sums = false;      // an Allreduce in every row of the grid
};

// A plane spread over a grid that is as even as possible: faces to four neighbours, "solve" of 16 ns for each
// cell, an Allreduce of 8 bytes, a Bcast from the last rank, and an Allgather.
Trace run_of(const GridProgram& program);

// All of the trace as text, without the details that recorded and predicted runs do not share.
std::string text_of(const Trace& trace);

}  // namespace waitdiag::test
