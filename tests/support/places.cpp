// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/places.hpp"

namespace waitdiag::test {

std::filesystem::path balance_schema() {
  return WAITPROF_SOURCE_DIR "/share/schema/waitdiag.balance-1.schema.json";
}

std::filesystem::path ocean_map() {
  return WAITPROF_SOURCE_DIR "/examples/maps/ocean.map";
}

std::filesystem::path grids_schema() {
  return WAITPROF_SOURCE_DIR "/share/schema/waitdiag.grids-1.schema.json";
}

std::filesystem::path speedscope_schema() {
  return WAITPROF_SOURCE_DIR "/tests/unit/writers/exports/speedscope.schema.json";
}

std::filesystem::path report_schema() {
  return WAITPROF_SOURCE_DIR "/share/schema/waitdiag.report-1.schema.json";
}

std::filesystem::path prediction_schema() {
  return WAITPROF_SOURCE_DIR "/share/schema/waitdiag.prediction-1.schema.json";
}

std::filesystem::path comparison_schema() {
  return WAITPROF_SOURCE_DIR "/share/schema/waitdiag.comparison-1.schema.json";
}
std::filesystem::path scaling_schema() {
  return WAITPROF_SOURCE_DIR "/share/schema/waitdiag.scaling-1.schema.json";
}

std::filesystem::path check_schema() {
  return WAITPROF_SOURCE_DIR "/share/schema/waitdiag.check-1.schema.json";
}

std::filesystem::path logic_tree_schema() {
  return WAITPROF_SOURCE_DIR "/share/schema/waitdiag.logic-tree-1.schema.json";
}

std::filesystem::path public_traces() {
  return WAITPROF_SOURCE_DIR "/../shared/traces";
}

}  // namespace waitdiag::test
