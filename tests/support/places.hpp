// Where the tests find files that are not compiled into them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace waitdiag::test {

// The schemas against which our output is checked.
[[nodiscard]] std::filesystem::path balance_schema();
[[nodiscard]] std::filesystem::path grids_schema();
[[nodiscard]] std::filesystem::path report_schema();
[[nodiscard]] std::filesystem::path speedscope_schema();  // the part of a foreign schema that we rely on
[[nodiscard]] std::filesystem::path prediction_schema();
[[nodiscard]] std::filesystem::path comparison_schema();
[[nodiscard]] std::filesystem::path scaling_schema();
[[nodiscard]] std::filesystem::path check_schema();
[[nodiscard]] std::filesystem::path logic_tree_schema();

// A map of water and land.
[[nodiscard]] std::filesystem::path ocean_map();

// Archives that Score-P wrote. Only some machines have them beside the clone: without them, tests are
// skipped.
[[nodiscard]] std::filesystem::path public_traces();

}  // namespace waitdiag::test
