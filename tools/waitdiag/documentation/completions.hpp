// Completions of the command line for shells: commands, options, and values where they are a few words.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/waitdiag/documentation/described_command.hpp"

namespace waitdiag::tool {

std::string bash_completion(const DescribedCommand& program);
std::string zsh_completion(const DescribedCommand& program);
std::string fish_completion(const DescribedCommand& program);

}  // namespace waitdiag::tool
