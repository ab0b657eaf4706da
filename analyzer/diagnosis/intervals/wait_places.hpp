// Where the waits of a location that lie in a call or after it begin: needed very often, so looked up rather
// than searched. One byte for each call.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/trace/model/fetch.hpp"

namespace waitdiag {

class WaitPlaces {
 public:
  WaitPlaces(const Trace& trace, const WaitStates& states);

  // Place of the first wait in call `op` or later among waits_of(location); their number if there is none.
  std::size_t first_from(Location location, std::uint32_t op) const {
    const OfLocation& here = locations_[index(location)];
    if (op >= here.in_block.size()) return here.waits;
    const std::size_t first = here.before_block[op / kBlock] + here.in_block[op];
    return here.in_block[op] == kMany ? search(location, first, op) : first;
  }
  // That will be asked for soon.
  void expect(Location location, std::uint32_t op) const {
    fetch(locations_[index(location)].in_block.data() + op);
  }

 private:
  static constexpr std::uint32_t kBlock = 64;  // calls
  static constexpr std::uint8_t kMany = 0xff;  // that many waits or more: has to be searched
  struct OfLocation {
    std::vector<std::uint32_t> before_block;  // waits before each block of calls
    std::vector<std::uint8_t> in_block;       // by call: waits before it in its block
    std::size_t waits = 0;
  };
  std::size_t search(Location location, std::size_t first, std::uint32_t op) const;

  const WaitStates& states_;
  std::vector<OfLocation> locations_;
};

}  // namespace waitdiag
