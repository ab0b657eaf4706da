// Numbers as people read them: three significant digits, a unit that fits, ranks as ranges.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace waitdiag {

double share_of(double part, double whole);  // 0 if the whole is 0

std::string format_duration(double seconds);    // "84.2 s", "1.23 ms", "12.3 us", "4.1 h"; "0 s"
std::string format_share(double share);         // 0.612 => "61 %", 0.042 => "4.2 %", "< 0.1 %"; NaN => "n/a"
std::string format_count(std::uint64_t count);  // "9876", "12.3 k", "3.1 M"
std::string format_bytes(std::uint64_t bytes);  // "512 B", "41 MiB"
std::string plural(std::uint64_t count, const std::string& noun);  // "1 rank", "4 ranks"

// Ascending ranks as ranges: "0, 3, 12-15". If there are more than `most` ranges: the first ones, and how
// many ranks follow.
std::string format_ranks(std::vector<std::int64_t> ranks, std::size_t most = 4);

}  // namespace waitdiag
