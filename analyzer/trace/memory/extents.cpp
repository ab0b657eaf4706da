// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/memory/extents.hpp"

#include <iterator>

namespace waitdiag {

std::uint64_t Extents::take(std::uint64_t bytes) {
  const auto fits = by_size_.lower_bound({bytes, 0});
  Place place = end_;
  if (fits != by_size_.end()) {
    const auto [size, at] = *fits;
    place = at;
    remove_free(at, size);
    if (size > bytes) add_free(at + bytes, size - bytes);
  } else {
    end_ += bytes;
  }
  taken_.emplace(place, bytes);
  return place;
}

std::uint64_t Extents::give_back(std::uint64_t place) {
  const auto taken = taken_.find(place);
  const Size bytes = taken->second;
  taken_.erase(taken);
  Place first = place, last = place + bytes;
  const auto behind = free_.lower_bound(place);
  if (behind != free_.end() && behind->first == last) last += behind->second;
  if (behind != free_.begin()) {
    const auto before = std::prev(behind);
    if (before->first + before->second == place) first = before->first;
  }
  if (first < place) remove_free(first, place - first);
  if (last > place + bytes) remove_free(place + bytes, last - place - bytes);
  add_free(first, last - first);
  return bytes;
}

void Extents::add_free(std::uint64_t place, std::uint64_t bytes) {
  free_.emplace(place, bytes);
  by_size_.emplace(bytes, place);
}

void Extents::remove_free(std::uint64_t place, std::uint64_t bytes) {
  free_.erase(place);
  by_size_.erase({bytes, place});
}

}  // namespace waitdiag
