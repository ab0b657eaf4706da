// The command line as documents: manual pages and completions.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/waitdiag/documentation/described_command.hpp"

namespace waitdiag::tool {

// Manual pages (roff, section 1) of waitdiag and its commands.
std::string manual_page(const DescribedCommand& program);
std::string manual_page(const DescribedCommand& program, const DescribedCommand& command);

// Completions of the command line for shells: commands, options, and values where they are a few words.
std::string bash_completion(const DescribedCommand& program);
std::string zsh_completion(const DescribedCommand& program);
std::string fish_completion(const DescribedCommand& program);

}  // namespace waitdiag::tool
