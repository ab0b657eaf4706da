// Asks the system for pages of 2 MiB. Columns of many locations are looked at here and there: with pages of 4 KiB
// the processor has to look most of their addresses up, and the system clears and counts 512 times as many.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace waitdiag {

// For the pages that a block lies in, whatever else does.
void ask_for_huge_pages(const void* block, std::size_t bytes);

}  // namespace waitdiag
