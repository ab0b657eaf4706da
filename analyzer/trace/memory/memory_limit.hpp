// How much memory a program may use for large blocks. Beyond it they are parts of a scratch file, and pages of
// that are handed back to the file. Programs that include this have another operator new (operator_new.cpp).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

namespace waitdiag {

// Of the machine, or of the cgroup that this process is in, if that has less.
std::uint64_t usable_memory();

// For all blocks that are asked for from now on. A limit that nobody chose is kept only where there is a scratch
// file, and room in it.
enum class Limit : std::uint8_t { Chosen, Usual };
void limit_memory(std::uint64_t bytes, Limit limit);

// Where the scratch file is to be: there, and it is made at once (ScratchError); or where it seems best: beside
// this file or directory, if that can be written, else in $TMPDIR or where temporary files usually are.
void scratch_in(const std::string& directory);
void scratch_beside(const std::string& path);

// Bytes of all blocks that came from the scratch file so far.
std::uint64_t scratch_used();

// A block that cannot be had; its text is one line. Made where memory is short: it takes none.
class ScratchError : public std::bad_alloc {
 public:
  explicit ScratchError(const std::string& text) noexcept;
  const char* what() const noexcept override { return text_.data(); }

 private:
  std::array<char, 512> text_{};
};

// What operator new and delete ask.
inline constexpr std::size_t kLargeBlock = std::size_t{64} << 10;
void* large_block(std::size_t bytes);  // nullptr: take plain memory
void count_plain_block(void* block);   // if it is large
bool free_large_block(void* block);    // false: it was plain memory

}  // namespace waitdiag
