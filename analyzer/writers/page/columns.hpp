// Named columns of bytes, packed into one block that the page's script unpacks (share/web/data/columns.ts):
//
//   length of the directory (4 bytes, little endian) | directory: JSON [["name", bytes], ...] | the columns
//
// Numbers are written in as few bytes as they need, seven bits in each (LEB128); those that may be negative
// are mapped to 0, -1, 1, -2 ... (zigzag).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace waitdiag {

class Column {
 public:
  void add(std::uint64_t number) {
    while (number >= 0x80) {
      bytes_.push_back(static_cast<char>(number | 0x80));
      number >>= 7;
    }
    bytes_.push_back(static_cast<char>(number));
  }
  void add_signed(std::int64_t number) {
    add(static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63));
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Columns {
 public:
  void add(std::string name, std::string bytes) { columns_.emplace_back(std::move(name), std::move(bytes)); }
  void add(std::string name, Column& column) { add(std::move(name), column.take()); }
  std::string packed() const;

 private:
  std::vector<std::pair<std::string, std::string>> columns_;
};

}  // namespace waitdiag
