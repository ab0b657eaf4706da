// Laws of the field lists, for every kind of result, with random values: what is written is read back
// unchanged and follows the published schema, and no member is forgotten.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "analyzer/results/balance.hpp"
#include "analyzer/results/check_result.hpp"
#include "analyzer/results/grids.hpp"
#include "analyzer/results/prediction.hpp"
#include "analyzer/results/report_document.hpp"
#include "analyzer/results/scaling.hpp"
#include "analyzer/writers/json/json.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/places.hpp"
#include "tests/support/random_result.hpp"

namespace waitdiag {
namespace {

template <typename Result>
class EveryResult : public ::testing::Test {};
using Results = ::testing::Types<Report, PredictionReport, Comparison, CheckResult, BalanceReport, GridReport,
                                 ScalingReport>;
TYPED_TEST_SUITE(EveryResult, Results);

template <typename Result>
std::string written(const Result& result) {
  std::ostringstream out;
  write_json(result, out);
  return out.str();
}

template <typename Result>
std::filesystem::path schema_file() {
  std::string name = Document<Result>::kSchema;
  std::ranges::replace(name, '/', '-');
  return test::report_schema().parent_path() / (name + ".schema.json");
}

template <typename Result>
void expect_law(const Result& result) {
  const std::string text = written(result);
  const Result again = read_json<Result>(text);
  EXPECT_EQ(test::shown(again), test::shown(result));
  EXPECT_EQ(written(again), text);
}

TYPED_TEST(EveryResult, IsReadAsItWasWritten) {
  expect_law(TypeParam{});
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round)
    expect_law(test::random_result<TypeParam>(random, Document<TypeParam>::kRounded));
}

TYPED_TEST(EveryResult, FollowsItsSchema) {
  std::mt19937 random(2);
  for (int round = 0; round < 5; ++round) {
    const auto result = test::random_result<TypeParam>(random, Document<TypeParam>::kRounded);
    EXPECT_EQ(
        test::schema_complaints(schema_file<TypeParam>().string(), nlohmann::json::parse(written(result))),
        "");
  }
}

TYPED_TEST(EveryResult, ListsAllItsMembers) {
  EXPECT_EQ(test::members_not_listed<TypeParam>(), "");
}

// With WAITPROF_WRITE_SCHEMAS in the environment the schemas are rewritten.
TYPED_TEST(EveryResult, HasItsSchemaPublished) {
  const std::string wanted = json_schema<TypeParam>();
  if (std::getenv("WAITPROF_WRITE_SCHEMAS") != nullptr) std::ofstream(schema_file<TypeParam>()) << wanted;
  std::ostringstream published;
  published << std::ifstream(schema_file<TypeParam>()).rdbuf();
  EXPECT_EQ(published.str(), wanted) << "start unit_writers with WAITPROF_WRITE_SCHEMAS=1";
}

}  // namespace
}  // namespace waitdiag
