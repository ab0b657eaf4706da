// How a program's times grow with the number of ranks, as plain data. Times are seconds of an average rank.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/results/fields.hpp"
#include "analyzer/results/threads.hpp"

namespace waitdiag {

struct ScalingReport {
  // c0 + c1 * p^i * log2(p)^j
  struct Model {
    std::string text{};
    double constant = 0, coefficient = 0;
    double power = 0;  // i
    int logarithms = 0;
    double r_squared = 0;  // NaN: the time is the same everywhere
    double smape = 0;      // 0 .. 2, of the runs it was made from
    double left_out = 0;   // the same, each run predicted by the others
  };
  struct Row {
    std::string call_path{};
    bool communication = false;
    std::vector<double> mean_s{}, most_s{};  // by size; of an average rank, of the rank with most
    Model model{};
    double predicted_s = 0;  // at `up_to`; of the whole run: the sum of all call paths
  };
  // From this many ranks on, the call path takes most of the time.
  struct Bottleneck {
    std::uint64_t from_ranks = 0;
    std::string call_path{};
    double share = 0;  // of all modelled time there
    bool measured = false;
    bool holds =
        true;  // measured, or the models of this call path and of the one before predict left-out runs
  };
  // POP's tree of the runs of one size, their mean; NaN where undefined.
  static constexpr double kNotCounted = std::numeric_limits<double>::quiet_NaN();
  struct Efficiency {
    std::uint64_t ranks = 0;
    double global = 0;  // parallel * scalability
    double parallel = 0, load_balance = 0, communication = 0, serialisation = 0, transfer = 0;
    double scalability = 0;  // computation of the smallest size, if the work is the same, by that of this one
    // POP's factors of that, by hardware counters; NaN without.
    double instruction_scalability = kNotCounted, ipc_scalability = kNotCounted,
           frequency_scalability = kNotCounted;
    std::string loses_most{};                  // the call path that others waited most for; empty: none
    double lost = 0;                           // of the core time, by that
    std::optional<HybridEfficiency> hybrid{};  // if teams of threads were recorded in all runs of this size
  };
  std::string verdict{};  // what takes most now, and what will
  std::string program{};
  std::vector<std::uint64_t> sizes{};  // ranks, ascending
  std::vector<std::string> sources{};  // as the user named them
  std::uint64_t up_to = 0;
  Row runtime{};                    // from when MPI_Init is left
  std::vector<double> startup_s{};  // by size: until the last rank has left MPI_Init
  std::vector<Row> rows{};          // most time at `up_to` first
  double left_out_share = 0;        // of the largest run's time: call paths too small to be modelled
  std::vector<Bottleneck> bottlenecks{};
  bool reaches = true;  // the model of what takes most at `up_to` holds
  std::vector<std::string> cautions{};
  std::vector<Efficiency> efficiencies{};  // by size
  bool work_grows = false;                 // with the ranks, as far as computation tells: weak scaling
};

void fields(auto& visit, Of<ScalingReport::Efficiency> auto& one) {
  visit("ranks", one.ranks);
  visit("global", one.global, "parallel * scalability", kUndefined);
  visit("parallel", one.parallel, "load_balance * communication", kUndefined);
  visit("load_balance", one.load_balance, "", kUndefined);
  visit("communication", one.communication, "serialisation * transfer", kUndefined);
  visit("serialisation", one.serialisation, "", kUndefined);
  visit("transfer", one.transfer, "", kUndefined);
  visit(
      "scalability", one.scalability,
      "computation of all ranks in the smallest runs by that in these; where the work grows with the ranks, "
      "of an average rank",
      kUndefined);
  visit("instruction_scalability", one.instruction_scalability,
        "of executed instructions, by hardware counters", kUndefined | kLater);
  visit("ipc_scalability", one.ipc_scalability, "instructions per cycle by those of the smallest runs",
        kUndefined | kLater);
  visit("frequency_scalability", one.frequency_scalability, "cycles per second by those",
        kUndefined | kLater);
  visit("loses_most", one.loses_most, "the call path that others waited most for; empty: none");
  visit("lost", one.lost, "of the core time, by waiting for that", kShare);
  visit("hybrid", one.hybrid, "where teams of threads were recorded", only_if(one.hybrid.has_value()));
}

void fields(auto& visit, Of<ScalingReport::Model> auto& model) {
  visit("text", model.text);
  visit("constant", model.constant);
  visit("coefficient", model.coefficient);
  visit("power", model.power, "", kSigned);
  visit("logarithms", model.logarithms);
  visit("r_squared", model.r_squared, "null: the time is the same everywhere", kUndefined);
  visit("smape", model.smape, "symmetric mean absolute error, 0 to 2, of the runs it was made of");
  visit("left_out", model.left_out, "the same, each size predicted from the others", kUndefined);
}

void fields(auto& visit, Of<ScalingReport::Row> auto& row) {
  visit("call_path", row.call_path);
  visit("communication", row.communication, "an MPI call");
  visit("mean_s", row.mean_s, "by size");
  visit("most_s", row.most_s, "of the rank that has most, by size");
  visit("model", row.model, "constant + coefficient * p^power * log2(p)^logarithms");
  visit("predicted_s", row.predicted_s, "with up_to ranks; of the whole run the sum of all call paths");
}

void fields(auto& visit, Of<ScalingReport::Bottleneck> auto& one) {
  visit("from_ranks", one.from_ranks);
  visit("call_path", one.call_path);
  visit("share", one.share, "of all modelled time there", kShare);
  visit("measured", one.measured, "not beyond the largest run");
  visit("holds", one.holds,
        "measured, or each size is predicted from the others within 25 % by the models of this call path and "
        "of "
        "the one before",
        kLater);
}

void fields(auto& visit, Of<ScalingReport> auto& report) {
  visit("verdict", report.verdict, "what takes most now, and what will");
  visit("program", report.program);
  visit("sources", report.sources, "as the user named them, one per run");
  visit("ranks", report.sizes, "the sizes, ascending");
  visit("up_to", report.up_to);
  visit("runtime", report.runtime, "from when MPI_Init is left");
  visit("startup_s", report.startup_s, "by size: until the last rank has left MPI_Init");
  visit("call_paths", report.rows, "most time with up_to ranks first");
  visit("left_out_share", report.left_out_share,
        "of the largest run's time: call paths below a thousandth in every size");
  visit("bottlenecks", report.bottlenecks,
        "from so many ranks on a call path takes more of the modelled time than any other");
  visit("cautions", report.cautions);
  visit("reaches", report.reaches, "the model of what takes most with up_to ranks holds", kLater);
  visit("efficiencies", report.efficiencies, "POP's tree, by size", kLater);
  visit("work_grows", report.work_grows, "with the ranks, as far as computation tells: weak scaling", kLater);
}

template <>
struct Document<ScalingReport> {
  static constexpr const char* kSchema = "waitdiag.scaling/1";
  static constexpr const char* kAbout =
      "What `waitdiag scale --json` writes: models of how times grow with the number of ranks p. Times are "
      "seconds "
      "of an average rank; null where undefined.";
  static constexpr bool kRounded = false;
};

}  // namespace waitdiag
