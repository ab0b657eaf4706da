// Writes archives of imagined runs, as large as wanted. Message passing is simulated, so nothing in them
// contradicts itself: nobody receives before it is sent, nobody leaves an Allreduce before all have come.
//
//   HaloNonblocking   ranks in a 2-D grid post receives and sends, compute, wait for all neighbours, compute
//   HaloBlocking      the same with a Send and a Recv for every neighbour
//   MasterAndWorkers  rank 0 hands out tasks: everybody knows little of the others for long
//
// A halo step ends with an Allreduce. In every step rank `slow_rank` also runs "refine_cells", for as long as
// the rest of its computation: the cause a diagnosis has to find.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace waitdiag::fixtures {

enum class RunPattern : std::uint8_t { HaloNonblocking, HaloBlocking, MasterAndWorkers };

// What lies between the MPI calls: regions with exact times (as Score-P writes them), or a call path on every
// MPI call and samples now and then (as our recorder does).
enum class RunStyle : std::uint8_t { Instrumented, Unwound };

struct GeneratedRun {
  RunPattern pattern = RunPattern::HaloNonblocking;
  RunStyle style = RunStyle::Unwound;
  std::uint32_t ranks = 16;
  std::uint32_t steps = 100;  // tasks of each worker for MasterAndWorkers
  std::uint32_t slow_rank = 1;
  std::uint64_t seed = 1;  // of the noise: each computation takes up to a tenth longer
};

// Writes the archive into `directory`, which must not exist yet.
void write_generated_run(const std::filesystem::path& directory, const GeneratedRun& run);

}  // namespace waitdiag::fixtures
