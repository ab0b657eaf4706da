// What a prediction for another number of ranks, or another problem, is based on, and how certain it is.
// Times are seconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/results/fields.hpp"

namespace waitdiag {

struct RescalingReport {
  struct Source {
    std::string name{}, problem{};  // as the user named it; "n=256" or empty
    std::uint64_t ranks = 0;
    double runtime_s = 0;
    double ranks_per_processor = 0;  // on the node or core with the most; 0: not known
    bool shared() const { return ranks_per_processor > 1; }
  };
  // A run that was predicted from smaller ones. Times are without MPI_Init.
  struct HeldOut {
    Source run{};
    double predicted_s = 0;
    double recorded_s = 0;
    double replayed_s = 0;       // the recorded run itself, replayed on the same machine
    bool where_recorded = true;  // nothing but the size was to change
    double error = 0;            // predicted / recorded - 1 where recorded, else predicted / replayed - 1
    std::uint64_t from_runs = 0;
    // Beyond its runs along the dimensions of a grid along which the prediction is, too; of smaller ones, along one that
    // the largest was not; or ranks compute alike.
    bool grows_likewise = true;
  };
  // A recorded run, replayed as it was on the machine; without MPI_Init.
  struct Replay {
    Source run{};
    double error = 0;     // replayed / recorded - 1
    double in_calls = 0;  // share of the run that an average rank spends in MPI calls
  };
  // Sizes in bytes of messages, and of what collective operations send to each member.
  struct Sizes {
    std::uint64_t least = 0, most = 0;
  };
  // Sizes that the target has but no recorded run: their cost is a guess.
  struct Outside {
    Sizes recorded{}, target{};
    double share = 0;  // of the target's messages and parts of collective operations
  };
  // Standard deviation of the logarithm of the run time, to either side.
  struct Deviation {
    double shorter = 0, longer = 0;
  };
  struct Model {
    std::string call_path{}, text{};
    double share = 0;     // of all computation of the largest run
    double left_out = 0;  // symmetric mean error of each run predicted by the others
  };
  // A grid of ranks that no run tells from the one that is used, of as many dimensions ("4x4x4").
  struct OtherGrid {
    std::string used{}, grid{};
    double runtime_s = 0;  // predicted with it; in the range
    std::uint64_t ranks_to_record = 0;
  };
  struct Wait {
    std::string pattern{}, title{};
    double total_s = 0;
  };
  struct Cause {
    std::string call_path{}, kind{};
    double waiting_s = 0, share = 0;  // of all waiting
    std::vector<std::int64_t> ranks{};
  };
  std::vector<Source> sources{};  // by size
  std::uint64_t repeats = 0;      // runs left out, because one of the same size was faster
  double repeats_longer = 0;      // how much longer the slowest of them took, relative, without MPI_Init
  std::uint64_t ranks = 0;
  std::string problem{};
  std::vector<std::string> grids{};
  std::vector<OtherGrid> other_grids{};
  std::vector<Model> models{};      // most time first
  std::uint64_t inexact_sizes = 0;  // messages and collective operations of a rank
  std::optional<HeldOut> held_out{};
  std::vector<HeldOut> held_out_before{};   // smaller runs, from even smaller ones; by size
  std::vector<HeldOut> held_out_between{};  // runs between others, each from all of these; by size
  // Where the machine is the recorded one, or may be (a file is named, and nothing changes computation).
  std::vector<Replay> replays{};     // by size; they contribute to the range
  std::optional<Outside> outside{};  // so do these
  Deviation machine_deviation{};     // and this
  double hidden =
      0;  // how much longer the run may take, as a logarithm: computation hides what messages cost in all runs
  // The same, as nodes may share a port that no recorded run fills.
  double unseen_port = 0;
  bool machine_named = false;
  bool sizes_known =
      false;  // of the machine that was found: what messages cost by size, relative to each other
  std::string no_range{};  // why nothing was held out
  struct Range {
    double low_s = 0, high_s = 0;
  };
  Range range{};                // where something was held out
  std::vector<Wait> waits{};    // in the replayed iterations
  std::vector<Cause> causes{};  // the same

  // The run in which most ranks took turns on a processor; nullptr: there was none.
  const Source* most_shared() const {
    const auto most = std::ranges::max_element(sources, {}, &Source::ranks_per_processor);
    return most != sources.end() && most->shared() ? &*most : nullptr;
  }
};

// Whether the range is so wide (more than half to double) that the recorded runs say nothing.
inline bool carries_too_far(const RescalingReport& report) {
  constexpr double kFarthest = 4;
  return report.held_out && report.range.high_s > kFarthest * report.range.low_s;
}

void fields(auto& visit, Of<RescalingReport::Source> auto& source) {
  visit("name", source.name);
  visit("ranks", source.ranks);
  visit("problem", source.problem, "n=256, or empty");
  visit("runtime_s", source.runtime_s);
  visit("ranks_per_processor", source.ranks_per_processor,
        "more than 1: ranks took turns on processors, and times are not those of one rank per processor; the "
        "range is that much wider",
        only_if(source.shared()));
}

void fields(auto& visit, Of<RescalingReport::HeldOut> auto& held) {
  visit("run", held.run);
  visit("predicted_s", held.predicted_s, "all without MPI_Init");
  visit("recorded_s", held.recorded_s);
  visit("replayed_s", held.replayed_s, "the recorded run on the same machine");
  visit("where_recorded", held.where_recorded, "nothing but the size was to change");
  visit("error", held.error, "predicted / recorded - 1 where_recorded, else predicted / replayed - 1",
        kSigned);
  visit("from_runs", held.from_runs, "predicted from so many: of two, any law is right", kLater);
  visit("grows_likewise", held.grows_likewise,
        "false: ranks differ along a dimension of their grid along which the prediction has more of them "
        "than any run, "
        "and this run has not",
        kLater);
}

void fields(auto& visit, Of<RescalingReport::Replay> auto& replay) {
  visit("run", replay.run);
  visit("error", replay.error, "replayed / recorded - 1, without MPI_Init", kSigned);
  visit("in_calls", replay.in_calls, "share of the recorded run that an average rank spends in MPI calls",
        kLater);
}

template <>
inline constexpr bool kIsRow<RescalingReport::Sizes> = true;
void fields(auto& visit, Of<RescalingReport::Sizes> auto& sizes) {
  visit("least", sizes.least);
  visit("most", sizes.most);
}

void fields(auto& visit, Of<RescalingReport::Outside> auto& outside) {
  visit("recorded_bytes", outside.recorded);
  visit("target_bytes", outside.target);
  visit("share", outside.share, "of the target's messages");
}

void fields(auto& visit, Of<RescalingReport::Model> auto& model) {
  visit("call_path", model.call_path);
  visit("text", model.text);
  visit("share", model.share, "of all computation of the largest run");
  visit("left_out", model.left_out, "symmetric mean error of each run predicted by the others");
}

void fields(auto& visit, Of<RescalingReport::OtherGrid> auto& other) {
  visit("used", other.used);
  visit("grid", other.grid, "of as many dimensions");
  visit("runtime_s", other.runtime_s);
  visit("ranks_to_record", other.ranks_to_record, "a run with so many has either the one or the other grid");
}

void fields(auto& visit, Of<RescalingReport::Wait> auto& wait) {
  visit("pattern", wait.pattern);
  visit("title", wait.title);
  visit("total_s", wait.total_s);
}

void fields(auto& visit, Of<RescalingReport::Cause> auto& cause) {
  visit("call_path", cause.call_path);
  visit("kind", cause.kind);
  visit("waiting_s", cause.waiting_s);
  visit("share", cause.share, "of all waiting");
  visit("ranks", cause.ranks);
}

template <>
inline constexpr bool kIsRow<RescalingReport::Range> = true;
void fields(auto& visit, Of<RescalingReport::Range> auto& range) {
  visit("low_s", range.low_s);
  visit("high_s", range.high_s);
}

void fields(auto& visit, Of<RescalingReport> auto& report) {
  visit("sources", report.sources, "by size");
  visit.group("repeats", "runs left out, because one of the same size was faster after MPI_Init", {},
              [&report](auto& inside) {
                inside("left_out", report.repeats);
                inside("longer", report.repeats_longer, "what the slowest took more, relative");
              });
  visit("problem", report.problem);
  visit("grids", report.grids, "of the ranks");
  visit("other_grids", report.other_grids,
        "that no run tells from the one in use; the range holds what is predicted with them",
        only_if(!report.other_grids.empty()));
  visit("inexact_sizes", report.inexact_sizes,
        "messages and collective operations of a rank whose bytes follow no exact rule");
  const FieldTraits held = only_if(report.held_out.has_value());
  visit("held_out", report.held_out, "the largest run, predicted from the others", held);
  visit("replay_error", Derived{report.replays.empty() ? 0 : report.replays.back().error},
        "the largest run replayed / recorded - 1; 0 for another machine or computation", held | kSigned);
  visit("replays", report.replays,
        "the recorded runs replayed on the machine, where it may be that of the recordings: these errors are "
        "in "
        "the range; by size",
        held | kLater);
  visit("outside_recorded_sizes", report.outside,
        "messages and parts of collective operations with sizes that no recorded run has: what they cost is "
        "assumed",
        held | only_if(report.outside.has_value()));
  visit("machine_deviation", report.machine_deviation.longer,
        "standard deviation of the run time's logarithm, by what the runs leave open about the machine: how "
        "much longer it may be",
        held | only_if(report.machine_deviation.longer > 0));
  visit("machine_deviation_shorter", report.machine_deviation.shorter, "the same: how much shorter",
        held | only_if(report.machine_deviation.shorter > 0));
  visit("hidden_longer", report.hidden,
        "how much longer, as a logarithm, the run may be because computation hides what messages cost in all "
        "recorded runs",
        held | only_if(report.hidden > 0));
  visit("unseen_port_longer", report.unseen_port,
        "the same, because nodes may share a port that no recorded run fills",
        held | only_if(report.unseen_port > 0));
  visit("held_out_before", report.held_out_before,
        "smaller runs, each predicted from those that are smaller still; by size", held);
  visit("held_out_between", report.held_out_between,
        "runs between others, each predicted from all of these: whether the laws are known once the largest "
        "run is; by "
        "size",
        held | only_if(!report.held_out_between.empty()));
  visit("range_s", report.range, "", held);
  visit("carries_too_far", Derived{carries_too_far(report)},
        "the range is wider than from half to double: the recorded runs do not tell", held | kLater);
  visit("no_range", report.no_range, "why nothing was held out", only_if(!report.held_out.has_value()));
  visit("models", report.models, "most time first");
  visit("waits", report.waits, "in the replayed iterations, all ranks together");
  visit("causes", report.causes);
  visit("ranks", report.ranks, "of the predicted run", kLater);
  visit("machine_named", report.machine_named, "its file was given", kLater);
  visit("sizes_known", report.sizes_known,
        "what messages cost by size, relative to each other, is what the recorded MPI library is known for",
        kLater);
}

}  // namespace waitdiag
