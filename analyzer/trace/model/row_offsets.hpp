// Where each row begins in an array of the entries of all rows, one row after the other. A row without
// entries takes two bits.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/trace/model/ranked_bits.hpp"

namespace waitdiag {

class RowOffsets {
 public:
  void reserve(std::size_t rows) { filled_.reserve(rows); }
  // The next row ends after this many entries in total; no fewer than at the end of the previous row.
  void end_row(std::size_t entries) {
    const auto end = static_cast<std::uint32_t>(entries);
    const bool filled = end != offsets_.back();
    filled_.append(filled);
    if (filled) offsets_.push_back(end);
  }
  void shrink_to_fit() { offsets_.shrink_to_fit(); }
  void keep_rows(std::size_t rows) {
    offsets_.resize(filled_.before(rows) + 1);
    filled_.keep(rows);
  }

  std::size_t rows() const { return filled_.size(); }
  std::uint32_t entries() const { return offsets_.back(); }
  // How many entries lie before a row, which may be rows().
  std::uint32_t operator[](std::size_t row) const { return offsets_[filled_.before(row)]; }
  // [first, last) of a row.
  std::pair<std::uint32_t, std::uint32_t> row(std::size_t row) const {
    const std::size_t before = filled_.before(row);
    return {offsets_[before], offsets_[before + (filled_[row] ? 1 : 0)]};
  }

  // This row will be needed soon: first where its begin is found, a little later its begin.
  void expect(std::size_t row) const { filled_.expect(row); }
  void expect_begin(std::size_t row) const { fetch(&offsets_[filled_.before(row)]); }

  // One row after the other, for less than asking for each.
  class Walk {
   public:
    Walk(const RowOffsets& rows, std::size_t row)
        : rows_(rows), row_(row), before_(rows.filled_.before(row)), end_(rows.offsets_[before_]) {}
    std::pair<std::uint32_t, std::uint32_t> next() {
      const std::uint32_t first = end_;
      if (rows_.filled_[row_++]) end_ = rows_.offsets_[++before_];
      return {first, end_};
    }

   private:
    const RowOffsets& rows_;
    std::size_t row_, before_;
    std::uint32_t end_;  // of the row before
  };

 private:
  RankedBits filled_;                      // rows that have entries
  std::vector<std::uint32_t> offsets_{0};  // of those, and where the last one ends
};

}  // namespace waitdiag
