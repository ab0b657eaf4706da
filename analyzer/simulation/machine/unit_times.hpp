// The times of a program's basic computation units on a machine (TH-PP's vector V, Meng, Wang and Li: time
// of a node = counts C x unit times V x influence of its load F), as a file that people can read and write.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace waitdiag {

struct UnitTimes {
  enum class Unit {
    Execution,  // one visit of the function
    Stretch,    // sampled code: one stretch between two MPI calls in which it was seen
  };
  struct CallPath {
    std::string name{};
    Unit unit = Unit::Execution;
    std::uint64_t count = 0;    // of all ranks
    std::uint64_t samples = 0;  // of sampled code
    double seconds = 0;         // of one, without what it calls
    double share = 0;           // of all computation of the run; for the reader
  };
  std::string program{}, machine{};
  std::uint32_t ranks = 1;
  double utilisation = 1;    // share of a core that its ranks had, mean; 1 if not known
  bool as_recorded = false;  // times are not corrected for it
  std::vector<CallPath> call_paths{};
};

// TOML. Throws TraceError with line and column of what is wrong; `source` is the file's name.
UnitTimes parse_unit_times(std::string_view text, const std::string& source);
void write_unit_times(const UnitTimes& times, std::ostream& out);

}  // namespace waitdiag
