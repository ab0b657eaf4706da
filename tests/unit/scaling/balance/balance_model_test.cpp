// Loads that can be checked by mental arithmetic, and the published table.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/balance/balance_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/writers/json/json.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/places.hpp"

namespace waitdiag {
namespace {

using ::testing::ElementsAre;

// Mean 10, largest 16, total 40: delta 6, alpha 0.15, alpha * P 0.6.
const std::vector<double> kUneven{8, 16, 6, 10};

TEST(BalanceModel, SaysWhatUnevenLoadsCost) {
  const BalanceReport::Case one = balance_case("uneven", kUneven, {});
  EXPECT_DOUBLE_EQ(one.figures.delta, 6);
  EXPECT_DOUBLE_EQ(one.figures.alpha, 0.15);
  EXPECT_DOUBLE_EQ(one.figures.alpha_p(), 0.6);
  EXPECT_DOUBLE_EQ(one.figures.ideal_speedup, 4);
  EXPECT_DOUBLE_EQ(one.figures.real_speedup, 2.5);  // the fullest rank has 16 of 40
  EXPECT_DOUBLE_EQ(one.figures.real_efficiency, 1 / 1.6);
  EXPECT_THAT(one.fullest, ElementsAre(1));
}

TEST(BalanceModel, EvenLoadsReachTheIdeal) {
  const BalanceFigures figures = balance_figures({3, 3, 3}, {}, "even");
  EXPECT_DOUBLE_EQ(figures.alpha, 0);
  EXPECT_DOUBLE_EQ(figures.real_speedup, 3);
}

// eta = 100 / 2 = 50; halo factor 1 + 4 / 50; C_p = 4 * 2 * 3 / (6 * 54 * 5) = 24 / 1620.
TEST(BalanceModel, ChargesHaloAndCommunication) {
  BalanceDomain domain{.cells_per_side = 100};
  domain.processor = BalanceDomain::Processor{.gigabytes_per_second = 6, .gigahertz = 3, .pipelines = 2};
  const BalanceFigures figures = balance_figures(kUneven, domain, "uneven");
  EXPECT_DOUBLE_EQ(figures.eta, 50);
  EXPECT_DOUBLE_EQ(figures.halo_factor, 1.08);
  EXPECT_DOUBLE_EQ(figures.c_p, 24.0 / 1620);
  const double cost = 1.08 * (1 + 24.0 / 1620);
  EXPECT_DOUBLE_EQ(figures.ideal_efficiency, 1 / cost);
  EXPECT_DOUBLE_EQ(figures.real_efficiency, 1 / (cost + 0.6));
  EXPECT_NEAR(figures.real_speedup, figures.ideal_speedup / (1 + figures.alpha * figures.ideal_speedup),
              1e-12);
  domain.c_p = 0.5;
  EXPECT_DOUBLE_EQ(balance_figures(kUneven, domain, "uneven").c_p, 0.5);
}

TEST(BalanceModel, ImprovementIsThatOfTheRunTime) {
  const BalanceFigures before = balance_figures({10, 30}, {}, "a"),
                       after = balance_figures({20, 20}, {}, "b");
  EXPECT_DOUBLE_EQ(modelled_improvement(before, after), 1 - 20.0 / 30);
  EXPECT_DOUBLE_EQ(modelled_improvement(before, after),
                   (before.alpha_p() - after.alpha_p()) / (1 + before.alpha_p()));
}

TEST(BalanceModel, RefusesWhatIsNoLoad) {
  EXPECT_THROW(balance_figures({}, {}, "x"), TraceError);
  EXPECT_THROW(balance_figures({0, 0}, {}, "x"), TraceError);
  EXPECT_THROW(balance_figures({1, -1}, {}, "x"), TraceError);
  EXPECT_THROW(balance_figures({1, NAN}, {}, "x"), TraceError);
}

TEST(PopTable, EveryCellIsWithinOnePoint) {
  const auto rows = pop_table();
  ASSERT_EQ(rows.size(), 5u);
  for (const BalanceReport::PopRow& row : rows) {
    EXPECT_NEAR(row.modelled_2400, row.printed_2400, 0.01) << row.ranks;
    EXPECT_NEAR(row.modelled_3600, row.printed_3600, 0.01) << row.ranks;
    EXPECT_NEAR(row.recomputed, row.printed_measured, 0.01) << row.ranks;
  }
}

TEST(BalanceJson, KeepsToItsSchema) {
  BalanceReport report;
  report.cases.push_back(balance_case("uneven", kUneven, {}));
  report.improvements.push_back({"a", "b", 4, 0.25, {}});
  report.pop_table = pop_table();
  report.picture = {.width = 2, .height = 1, .load = {0, 1}};
  report.cases.front().owners = {-1, 0};
  std::ostringstream out;
  write_json(report, out);
  EXPECT_EQ(test::schema_complaints(test::balance_schema(), nlohmann::json::parse(out.str())), "");
}

}  // namespace
}  // namespace waitdiag
