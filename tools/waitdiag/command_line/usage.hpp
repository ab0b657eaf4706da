// What is wrong with a command line, in one line with the way to put it right.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace waitdiag::tool {

// The first argument nobody wanted, with the name that was probably meant; "" when there is none. What
// follows the word `run` is the business of that command.
std::string unexpected_argument(const CLI::App& app);

// `problem` as one line, ending in the --help to read.
std::string usage_line(const CLI::App& app, std::string problem);

}  // namespace waitdiag::tool
