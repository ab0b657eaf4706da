// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/defined_names.hpp"

#include <bit>

#include "libwaitprof/surroundings/dynamic_section.hpp"

namespace waitprof {

std::uint32_t hash_of_defined_name(const char* name) noexcept {
  std::uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

DefinedNames::DefinedNames(const dl_phdr_info& object) noexcept {
  ElfW(Addr) table = 0;
  for (const ElfW(Dyn)* entry = dynamic_section_of(object); entry != nullptr && entry->d_tag != DT_NULL;
       ++entry)
    if (entry->d_tag == DT_GNU_HASH) table = entry->d_un.d_ptr;
  if (table == 0) return;
  // glibc has relocated the address in most objects, and not in the one that the kernel provides.
  if (table < object.dlpi_addr) table += object.dlpi_addr;
  const auto* const header = reinterpret_cast<const std::uint32_t*>(table);
  const std::uint32_t buckets = header[0], filter_words = header[2];
  if (buckets == 0 || !std::has_single_bit(filter_words)) return;
  first_hashed_ = header[1];
  shift_ = header[3];
  filter_ = reinterpret_cast<const ElfW(Addr)*>(header + 4);
  last_word_ = filter_words - 1;
  buckets_ = {reinterpret_cast<const std::uint32_t*>(filter_ + filter_words), buckets};
  chains_ = buckets_.data() + buckets;
}

std::uint32_t DefinedNames::in_bucket(std::uint32_t hash) const noexcept {
  std::uint32_t symbol = buckets_[hash % buckets_.size()];
  if (symbol < first_hashed_) return 0;  // an empty bucket
  // The lowest bit marks the end of a bucket's chain.
  for (;; ++symbol) {
    const std::uint32_t other = chains_[symbol - first_hashed_];
    if ((other | 1) == (hash | 1)) return symbol;
    if ((other & 1) != 0) return 0;
  }
}

}  // namespace waitprof
