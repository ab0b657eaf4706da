// The recorder's only voice: one line on stderr. Never stdout, never stdio buffers of the application.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// "libwaitprof: <text>\n", cut at 1 KiB, in one write.
void say(const char* format, ...) noexcept __attribute__((format(printf, 1, 2)));

}  // namespace waitprof
