// Amounts with units as people write them: "1.5 us", "64 KiB", "10 GB/s".
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

namespace waitdiag {

std::optional<double> nanoseconds_of(std::string_view text);       // ns, us, ms, s
std::optional<double> bytes_of(std::string_view text);             // B, kB, MB, GB, KiB, MiB, GiB
std::optional<double> bytes_per_second_of(std::string_view text);  // the same, or bit, kbit, Mbit, Gbit; "/s"

}  // namespace waitdiag
