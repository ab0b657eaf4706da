// Call paths that need not be written, because programs make the same calls in the same order again and again:
// an ENTER without kCallPathAttribute has the call path of an earlier ENTER of its location.
//
//   ENTER   1   2   3   4   5   6   7   8      kRepeatAttribute of number 5: 3
//   written A   B   C   A  B,3  -   -   -
//   path    A   B   C   A   B   C   A   B      of the ENTER 3 before
//
// Writer and reader keep the same history. It names places, not paths: paths that differ in a file may be one
// after the archive's mappings were applied.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace waitprof::schema {

// Of one location. `None`: what stands for no call path.
template <class Path, Path None>
class RepeatedPaths {
 public:
  static constexpr std::uint32_t kMostBack = 1023;

  RepeatedPaths() { paths_.fill(None); }

  // Of the next ENTER, if it carries no attribute.
  Path next() const noexcept { return back_ == 0 ? None : before(back_); }
  void add(Path path) noexcept { paths_[count_++ % kKept] = path; }
  // From the next ENTER on. 0, or more than there can be: those without the attribute have no path.
  void repeat_from(std::uint64_t back) noexcept {
    back_ = back > kMostBack ? 0 : static_cast<std::uint32_t>(back);
  }

 protected:
  static constexpr std::uint32_t kKept = kMostBack + 1;

  Path before(std::uint32_t back) const noexcept { return paths_[(count_ - back) % kKept]; }
  std::uint32_t count() const noexcept { return count_; }
  std::uint32_t back() const noexcept { return back_; }

 private:
  std::array<Path, kKept> paths_;
  std::uint32_t count_ = 0, back_ = 0;
};

// What the writer knows beyond that: where else a path was last.
class PathsToWrite : public RepeatedPaths<std::uint32_t, 0> {
 public:
  // None is left out.
  void write_each() noexcept { each_ = true; }
  // The reader may know of ENTERs before: each path must be written until another repetition has been told.
  void forget() noexcept { unknown_ = true; }

  bool is_next(std::uint32_t path) const noexcept { return next() == path && !unknown_; }

  // The next ENTER has this path, which was not foreseen: since how many ENTERs the calls are those of before. 0: they are
  // not, or that has been told.
  std::uint32_t repetition(std::uint32_t path) const noexcept {
    const std::uint32_t back = count() - last_[path % kKept];
    if (each_ || back == 0 || back > kMostBack || back == this->back() || before(back) != path ||
        count() < 2 * back) {
      return 0;
    }
    for (std::uint32_t at = 1; at <= std::min(back, kAlike); ++at) {
      if (at + back > kMostBack || before(at) != before(at + back)) {
        return 0;
      }
    }
    return back;
  }

  void add(std::uint32_t path) noexcept {
    last_[path % kKept] = count();
    RepeatedPaths::add(path);
  }
  void repeat_from(std::uint32_t back) noexcept {
    RepeatedPaths::repeat_from(back);
    unknown_ = false;
  }

 private:
  static constexpr std::uint32_t kAlike = 8;  // so many calls before it must have been the same

  std::array<std::uint32_t, kKept> last_{};  // by the lower bits of a path
  bool unknown_ = false, each_ = false;
};

}  // namespace waitprof::schema
