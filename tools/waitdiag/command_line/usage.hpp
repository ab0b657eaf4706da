// Says in one line what is wrong with a command line and how to put it right.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace waitdiag::tool {

// The first unexpected argument, with the name that was probably meant; "" if there is none. Arguments after
// the word `run` are left to that command.
std::string unexpected_argument(const CLI::App& app);

// `problem` as one line, ending in the --help command to read.
std::string usage_line(const CLI::App& app, std::string problem);

}  // namespace waitdiag::tool
