// The requests in flight on one location, by their number. One flat array, searched from the place of a
// number's hash to the next free place, so that posting and completing do not allocate.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace waitdiag {

struct Request {
  enum class What : std::uint8_t { Nothing, Send, Receive, Collective };
  std::uint32_t end = 0;  // index into the location's sends, receives or collectives
  What what = What::Nothing;
};

class RequestTable {
 public:
  std::size_t size() const { return size_; }

  // False: the number was in use; its request is forgotten.
  bool post(std::uint64_t number, Request request) {
    if (2 * (size_ + 1) > places_.size()) grow();
    Place& place = places_[find(number)];
    const bool is_new = place.request.what == Request::What::Nothing;
    size_ += is_new;
    place = {number, request};
    return is_new;
  }

  std::optional<Request> take(std::uint64_t number) {
    if (size_ == 0) return std::nullopt;
    const std::size_t found = find(number);
    const Request request = places_[found].request;
    if (request.what == Request::What::Nothing) return std::nullopt;
    --size_;
    close_up(found);
    return request;
  }

 private:
  struct Place {
    std::uint64_t number = 0;
    Request request{};
  };
  std::size_t next(std::size_t place) const { return (place + 1) & (places_.size() - 1); }
  std::size_t home(std::uint64_t number) const {
    return static_cast<std::size_t>((number * 0x9E3779B97F4A7C15u) >> 32) & (places_.size() - 1);
  }
  bool is_free(std::size_t place) const { return places_[place].request.what == Request::What::Nothing; }

  // Where the number is, or where it would go.
  std::size_t find(std::uint64_t number) const {
    std::size_t place = home(number);
    while (!is_free(place) && places_[place].number != number) place = next(place);
    return place;
  }

  // Entries that were put further on because their place was taken move up: a search ends at the first free
  // place.
  void close_up(std::size_t hole) {
    const std::size_t mask = places_.size() - 1;
    for (std::size_t place = next(hole); !is_free(place); place = next(place)) {
      const bool passed_by = ((place - home(places_[place].number)) & mask) >= ((place - hole) & mask);
      if (!passed_by) continue;
      places_[hole] = places_[place];
      hole = place;
    }
    places_[hole] = {};
  }

  void grow() {
    std::vector<Place> old(places_.empty() ? 16 : 2 * places_.size());
    old.swap(places_);
    for (const Place& place : old) {
      if (place.request.what != Request::What::Nothing) places_[find(place.number)] = place;
    }
  }

  std::vector<Place> places_;  // a power of two of them, at least half of them free
  std::size_t size_ = 0;
};

}  // namespace waitdiag
