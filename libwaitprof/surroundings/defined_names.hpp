// Whether a loaded object defines functions of given names: one look into its hash table for each, without the
// dynamic linker, which searches object after object.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <link.h>

#include <climits>
#include <cstdint>
#include <span>

namespace waitprof {

// Of a symbol's name, as DT_GNU_HASH sections have it.
std::uint32_t hash_of_defined_name(const char* name) noexcept;

class DefinedNames {
 public:
  // The object must stay loaded.
  explicit DefinedNames(const dl_phdr_info& object) noexcept;

  // Symbols before this one are of names that others define; 0: nothing can be told. In a table without names that may be 1.
  std::uint32_t first_hashed() const noexcept { return filter_ != nullptr ? first_hashed_ : 0; }

  // The symbol of a name with this hash; 0: there is none, or nothing can be told.
  std::uint32_t symbol_of(std::uint32_t hash) const noexcept { return may_be(hash) ? in_bucket(hash) : 0; }

  // Whether the name of this hash is defined, or is not known not to be: an object linked with a table of another kind
  // may define anything. Names of one hash, and names whose hashes differ in the lowest bit, are not told apart.
  bool may_have(std::uint32_t hash) const noexcept { return filter_ == nullptr || symbol_of(hash) != 0; }

 private:
  bool may_be(std::uint32_t hash) const noexcept {
    if (filter_ == nullptr) return false;
    constexpr std::uint32_t kBits = CHAR_BIT * sizeof(ElfW(Addr));
    const ElfW(Addr) word = filter_[hash / kBits & last_word_];
    return (word >> hash % kBits & word >> (hash >> shift_) % kBits & 1) != 0;
  }
  std::uint32_t in_bucket(std::uint32_t hash) const noexcept;

  const ElfW(Addr) * filter_ =
      nullptr;                   // says of most names that they are not there; nullptr: nothing can be told
  std::uint32_t last_word_ = 0;  // of the filter, whose number of words is a power of two
  std::uint32_t first_hashed_ = 0, shift_ = 0;
  std::span<const std::uint32_t> buckets_;
  const std::uint32_t* chains_ = nullptr;
};

}  // namespace waitprof
