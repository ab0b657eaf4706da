// Straight lines through measured times, one for each interval of sizes: the cost of a message has a fixed
// part and a part for each byte, and both change where an MPI library changes its protocol.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace waitdiag {

struct TimedSize {
  std::uint64_t bytes = 0;
  double ns = 0;
  double spread = 0;  // relative standard error of `ns`
};

// From `from` bytes up to the next piece: fixed_ns + ns_per_byte * bytes, neither of them negative.
struct LinearPiece {
  std::uint64_t from = 0;
  double fixed_ns = 0;
  double ns_per_byte = 0;
  double at(std::uint64_t bytes) const { return fixed_ns + ns_per_byte * static_cast<double>(bytes); }
};

// Segmented regression with least squares of the relative errors: as many pieces, of three sizes or more, as
// the Bayesian information criterion justifies. The pieces ascend; the first one begins at 0. `measured`
// ascend by size, no size twice; empty: no piece.
std::vector<LinearPiece> fit_pieces(std::span<const TimedSize> measured);

// One straight line through all of them, fitted in the same way.
LinearPiece fit_line(std::span<const TimedSize> samples);

// Sizes that took clearly longer than a larger one: something else used the processor.
std::vector<std::uint64_t> too_long(std::span<const TimedSize> samples);

// Sizes to measure next, to find where a piece ends: the middle between its last size and
// the first one of the next piece, as long as these are more than 1 % apart and the lines differ there.
std::vector<std::uint64_t> sizes_between(std::span<const LinearPiece> pieces,
                                         std::span<const TimedSize> samples);

// The largest and the typical (root mean square) relative error of a model: ns by bytes.
struct FitError {
  double worst = 0, typical = 0;
  std::uint64_t worst_bytes = 0;
};
FitError error_of(std::span<const TimedSize> samples, const std::function<double(std::uint64_t)>& model);

}  // namespace waitdiag
