// Where the tests find what is not compiled into them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace waitdiag::test {

// The schemas that what we write is checked against.
[[nodiscard]] std::filesystem::path balance_schema();
[[nodiscard]] std::filesystem::path grids_schema();
[[nodiscard]] std::filesystem::path report_schema();
[[nodiscard]] std::filesystem::path speedscope_schema();  // what we rely on of a foreign one
[[nodiscard]] std::filesystem::path prediction_schema();
[[nodiscard]] std::filesystem::path comparison_schema();
[[nodiscard]] std::filesystem::path scaling_schema();
[[nodiscard]] std::filesystem::path check_schema();
[[nodiscard]] std::filesystem::path logic_tree_schema();

// A map of water and land.
[[nodiscard]] std::filesystem::path ocean_map();

// Archives that Score-P wrote. They lie beside a clone on some machines only: tests skip themselves without
// them.
[[nodiscard]] std::filesystem::path public_traces();

}  // namespace waitdiag::test
