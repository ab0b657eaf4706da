// How JoinedThreads changes a timeline: work of other threads takes the place of waits in it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analyzer/trace/builder/joined_threads.hpp"
#include "analyzer/trace/model/number_property.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {

// What becomes of the pieces of a timeline, by their index.
class JoinedThreads::Replacement {
 public:
  Replacement(const Trace& trace, Timeline& timeline) : timeline_(timeline) {
    const auto told = number_property(trace, waitprof::schema::kSamplingHz);
    if (told && *told > 0) hz_ = static_cast<double>(*told);
  }

  // What the piece still has.
  Duration left(std::uint32_t piece) const {
    const auto taken = taken_.find(piece);
    const Duration time = timeline_.pieces_[piece].time;
    return taken == taken_.end() ? time : time - taken->second.computing - taken->second.exact_time;
  }

  // Puts `work` in the place of as much of the piece. What is too little or too much in whole sampling periods is made
  // up for by the next ones.
  void replace(std::uint32_t piece, const Work& work) {
    for (const auto& [part, share] : work)
      fill(taken_[piece], part, share, std::min(Duration(std::llround(share)), left(piece)));
  }

  // Puts `work` before a gap.
  void insert(std::uint32_t gap, const Work& work) {
    for (const auto& [part, share] : work) fill(before_[gap], part, share, Duration(std::llround(share)));
  }
  // Takes `work` out of a gap that has it.
  void take_out(std::uint32_t gap, const Work& work) {
    const auto [first_piece, last_piece] = timeline_.piece_offset_.row(gap);
    const auto [first_sample, last_sample] = timeline_.sample_offset_.row(gap);
    for (const auto& [part, share] : work) {
      Duration due(std::llround(share));
      for (std::uint32_t i = first_piece; i < last_piece; ++i) {
        ComputationPiece& piece = timeline_.pieces_[i];
        if (piece.call_path != (part.exact ? part.call_path : kNoCallPath)) continue;
        const Duration time = std::min(due, piece.time);
        piece.time -= time;
        due -= time;
      }
      auto weight = static_cast<std::uint32_t>(part.exact ? 0 : std::lround(share * 1e-9 * hz_));
      for (std::uint32_t i = first_sample; i < last_sample; ++i) {
        ComputationSample& sample = timeline_.samples_[i];
        if (sample.call_path != part.call_path) continue;
        const std::uint32_t taken = std::min(weight, sample.weight);
        sample.weight -= taken;
        weight -= taken;
      }
    }
  }

  void apply() {
    auto mark = timeline_.step_marks_.begin();
    for (std::size_t gap = 0; gap < timeline_.gaps(); ++gap) {
      GapPart rest = timeline_.whole_gap(gap);
      for (; mark != timeline_.step_marks_.end() && mark->op <= gap; ++mark) {
        add_part(Timeline::cut_off(rest, *mark));
        mark->piece = static_cast<std::uint32_t>(pieces_.size());
        mark->sample = static_cast<std::uint32_t>(samples_.size());
      }
      add_part(rest);
      piece_offset_.end_row(pieces_.size());
      sample_offset_.end_row(samples_.size());
    }
    timeline_.pieces_ = std::move(pieces_);
    timeline_.samples_ = std::move(samples_);
    timeline_.piece_offset_ = std::move(piece_offset_);
    timeline_.sample_offset_ = std::move(sample_offset_);
  }

 private:
  struct Taken {
    Duration computing{}, exact_time{};
    std::vector<ComputationPiece> exact{};
    std::vector<ComputationSample> samples{};
  };

  void fill(Taken& taken, const Part& part, double share, Duration time) {
    if (part.exact) {
      taken.exact.push_back({part.call_path, 1, time});
      taken.exact_time += time;
      return;
    }
    taken.computing += time;
    double& owed = owed_[part];
    owed += share * 1e-9 * hz_;
    const auto weight = static_cast<std::uint32_t>(std::max(0L, std::lround(owed)));
    owed -= weight;
    if (weight > 0) taken.samples.push_back({part.call_path, weight});
  }

  // The entry of a call path behind `first`, made where it is missing.
  template <typename Entry>
  static Entry& entry(std::vector<Entry>& entries, std::size_t first, CallPathId path) {
    const auto known = std::find_if(entries.begin() + static_cast<std::ptrdiff_t>(first), entries.end(),
                                    [&](const Entry& each) { return each.call_path == path; });
    return known != entries.end() ? *known : entries.emplace_back(Entry{path, 0});
  }

  void add_part(const GapPart& part) {
    const std::size_t first_piece = pieces_.size(), first_sample = samples_.size();
    const auto own = timeline_.samples(part);
    std::ranges::copy_if(own, std::back_inserter(samples_), [](const auto& one) { return one.weight > 0; });
    std::vector<ComputationPiece> added;
    const auto add = [&](const Taken& taken) {
      added.insert(added.end(), taken.exact.begin(), taken.exact.end());
      if (taken.computing > Duration::zero()) added.push_back({.time = taken.computing});
      for (const ComputationSample& sample : taken.samples)
        entry(samples_, first_sample, sample.call_path).weight += sample.weight;
    };
    if (const auto before = before_.find(part.gap); part.first && before != before_.end())
      add(before->second);
    for (std::uint32_t i = part.first_piece; i < part.last_piece; ++i) {
      ComputationPiece piece = timeline_.pieces_[i];
      const auto taken = taken_.find(i);
      if (taken != taken_.end()) {
        add(taken->second);
        piece.time = left(i);
      }
      if (taken == taken_.end() || piece.time > Duration::zero()) pieces_.push_back(piece);
    }
    for (const auto& [path, visits, time] : added) {
      ComputationPiece& piece = entry(pieces_, first_piece, path);
      piece.time += time;
      piece.visits += visits;
    }
  }

  Timeline& timeline_;
  double hz_ = 1000;
  std::map<std::uint32_t, Taken> taken_{}, before_{};  // by piece; by gap
  Work owed_{};
  std::vector<ComputationPiece> pieces_{};
  std::vector<ComputationSample> samples_{};
  RowOffsets piece_offset_{}, sample_offset_{};
};

}  // namespace waitdiag
