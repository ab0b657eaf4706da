// Classes of similar stretches of computation among those between the same two MPI calls. What stretches
// consist of is known through samples, and each has only a few, so stretches have to share them. But only
// similar ones: output in every tenth step makes a stretch longer and says nothing about the others; and
// where a step calls the same MPI function four times, something different runs before each call.
//
// So the stretches are divided where the samples of the parts differ by more than chance (likelihood-ratio
// test): first by turns, every n-th stretch together; then repeatedly by length.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/trace/model/timeline.hpp"

namespace waitdiag {

// Samples of one call path in the `number`-th stretch.
struct StretchSample {
  std::uint32_t number = 0;
  Duration length{};
  ComputationSample sample;
};

class StretchClasses {
 public:
  explicit StretchClasses(std::vector<StretchSample> samples);  // by number

  std::size_t size() const { return classes_.size(); }
  std::span<const StretchSample> samples(std::size_t c) const {
    return std::span(samples_).subspan(classes_[c].first, classes_[c].last - classes_[c].first);
  }
  // The class of a stretch, whether or not it has samples; nothing where its turn has no samples at all.
  std::optional<std::size_t> of(std::uint32_t number, Duration length) const;

 private:
  struct Class {
    std::uint32_t turn = 0;
    Duration longest{};
    std::size_t first = 0, last = 0;
  };
  void divide(std::uint32_t turn, std::size_t first, std::size_t last, Duration longest, int divisions);

  std::uint32_t turns_ = 1;
  std::vector<StretchSample> samples_;
  std::vector<Class> classes_;  // by turn, then length
};

}  // namespace waitdiag
