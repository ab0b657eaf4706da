// The run as stretches: on each location, from one call that depends on another process to the next.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/retiming/critical_path.hpp"

namespace waitdiag {

class Stretches {
 public:
  Stretches(const Trace& trace, const Dependencies& dependencies, const CriticalPath& path);

  // Stretches of one location, in order: stretch i ends with the call closing(i); the last one with the run.
  std::size_t count(Location location) const { return closes_[index(location)].size() + 1; }
  std::uint32_t closing(Location location, std::size_t stretch) const {
    const auto& closes = closes_[index(location)];
    return stretch < closes.size() ? closes[stretch] : kNoOp;
  }
  std::uint32_t opening(Location location, std::size_t stretch) const {
    return stretch == 0 ? kNoOp : closes_[index(location)][stretch - 1];
  }
  std::size_t containing(Location location, std::uint32_t op) const;  // its closing call included
  std::size_t behind(Location location, std::uint32_t op) const;      // that goes on after the call

  // The time on the critical path: of a stretch up to its closing call, and of that call.
  struct Critical {
    Duration inside{}, in_closing{};
    OpRef from{};  // the path came into the closing call from here; not valid: along the location
  };
  const Critical& critical(Location location, std::size_t stretch) const {
    return critical_[index(location)][stretch];
  }

 private:
  void mark(const Trace& trace, const CriticalPath& path);
  void mark(const Trace& trace, const CriticalPath::Stretch& part);

  std::vector<std::vector<std::uint32_t>> closes_;  // by location
  std::vector<std::vector<Critical>> critical_;
};

}  // namespace waitdiag
