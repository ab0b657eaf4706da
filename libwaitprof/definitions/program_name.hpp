// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace waitprof::archive {

// File name of the running program.
std::string program_name();

}  // namespace waitprof::archive
