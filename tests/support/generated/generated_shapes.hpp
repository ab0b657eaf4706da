// Archives of made-up runs, as large as wanted, each of one shape that reports may find hard: what programs do
// beside exchanging halos (generated_run.hpp). One rank in turn is late.
//
//   Samples         few calls, many samples, deep and many call paths, short loops at many places
//   Recursion       the same below hundreds of nested calls
//   Functions       hundreds of small instrumented functions between two calls
//   Scans           every rank waits for those before it
//   Rooted          broadcasts and reductions; the root moves
//   Communicators   reductions in rows and columns of a grid, never of all
//   Pairs           ranks in random pairs: everybody learns of everybody, and nothing joins all
//   Pipeline        every rank receives from the one before it, computes, and sends on
//   Ring            a token goes round: every rank waits for all others in turn
//   Tags            many posted receives, matched by tag in the opposite order
//   Requests        many requests, completed one by one, the last one first
//   Polls           rows of tests
//   Fences          one-sided, in epochs of all
//   Locks           one-sided, of eight ranks that lock the same memory
//   Neighbourhoods  neighbourhood collectives on a grid
//   Alltoallv       everybody has data for everybody
//   Wavefront       every rank of a grid waits for those before it in both directions
//   Overlap         a nonblocking reduction goes on while ranks compute
//   Persistent      requests that are started again and again
//   Sparse          messages to six ranks near and far, and nothing joins all
//   Paths           a halo whose calls have thousands of call paths
//   Deep            the same below a hundred nested calls
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace waitdiag::fixtures {

enum class ShapePattern : std::uint8_t {
  Samples,
  Recursion,
  Functions,
  Scans,
  Rooted,
  Communicators,
  Pairs,
  Pipeline,
  Ring,
  Tags,
  Requests,
  Polls,
  Fences,
  Locks,
  Neighbourhoods,
  Alltoallv,
  Wavefront,
  Overlap,
  Persistent,
  Sparse,
  Paths,
  Deep
};

struct GeneratedShape {
  ShapePattern pattern = ShapePattern::Samples;
  std::uint32_t ranks = 16;
  std::uint32_t steps = 100;
};

// Writes the archive into `directory`, which must not exist yet.
void write_generated_shape(const std::filesystem::path& directory, const GeneratedShape& shape);
// The shapes from Wavefront on.
void write_generated_exchanges(const std::filesystem::path& directory, const GeneratedShape& shape);

}  // namespace waitdiag::fixtures
