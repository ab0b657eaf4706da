// Writes archives of made-up runs, as large as wanted. Message passing is simulated, so they contain no
// contradictions: no message is received before it is sent, no rank leaves an Allreduce before all have
// entered.
//
//   HaloNonblocking   ranks in a 2-D grid post receives and sends, compute, wait for all neighbours, compute
//   HaloBlocking      the same with a Send and a Recv for every neighbour
//   HaloSendrecv      they compute, then exchange with one neighbour after another: most calls wait
//   MasterAndWorkers  rank 0 hands out tasks: ranks know little of each other for long
//   PingPong          pairs of ranks send the same message back and forth
//
// A halo step ends with an Allreduce. In every step rank `slow_rank` also runs "refine_cells", for as long as
// the rest of its computation: the cause a diagnosis has to find.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace waitdiag::fixtures {

enum class RunPattern : std::uint8_t {
  HaloNonblocking,
  HaloBlocking,
  HaloSendrecv,
  MasterAndWorkers,
  PingPong
};

// What is recorded between the MPI calls: regions with exact times (as Score-P writes them), or a call path
// on every MPI call and occasional samples (as our recorder does).
enum class RunStyle : std::uint8_t { Instrumented, Unwound };

struct GeneratedRun {
  RunPattern pattern = RunPattern::HaloNonblocking;
  RunStyle style = RunStyle::Unwound;
  std::uint32_t ranks = 16;
  std::uint32_t steps = 100;  // tasks of each worker for MasterAndWorkers, round trips for PingPong
  std::uint32_t slow_rank = 1;
  std::uint64_t seed = 1;  // of the noise, which makes each computation up to a tenth longer

  // Of halos.
  bool periodic = false;               // the grid wraps around
  bool late_sends = false;             // no rank sends before all of its step is computed
  std::uint32_t slow_moves_every = 0;  // steps after which the next rank is the slow one; 0: it stays
  std::uint32_t slow_ranks = 1;        // at the same time, spread evenly over all ranks
  std::uint32_t slow_functions = 1;    // in which they spend that time, a different one in each step
  std::uint32_t nested = 0;            // functions between main and those that compute
  std::uint32_t allreduce_every = 1;   // steps; 0: never
  std::uint32_t output_every = 0;      // steps after which rank 0 also runs "write_output"; 0: never
  // Percentage of a step that a rank which is not slow has to wait; 0: no rank is slow, and there is no
  // noise.
  std::uint32_t wait_percent = 50;
};

// Writes the archive into `directory`, which must not exist yet.
void write_generated_run(const std::filesystem::path& directory, const GeneratedRun& run);

}  // namespace waitdiag::fixtures
