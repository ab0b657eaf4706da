// The trace counts nanoseconds, the report seconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitdiag {

inline constexpr double kSecond = 1e9;  // in nanoseconds

}  // namespace waitdiag
