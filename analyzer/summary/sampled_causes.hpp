// What samples say about causes: how much of the computation between the same two MPI calls each of them is. How long
// that computation took is known exactly, so samples decide little where they all fall on one function.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/diagnose.hpp"
#include "analyzer/results/report.hpp"

namespace waitdiag {

// The causes that are known through samples only, by the name that they have.
class SampledCauses {
 public:
  SampledCauses(const Trace& trace, const Diagnosis& found, const std::vector<Report::Cause>& causes);

  bool knows(const Report::Cause& cause) const { return known_.contains(cause.call_path); }
  double samples_of_excess(const Report::Cause& cause) const { return cause.excess_s / period_; }

  // By how many standard errors more samples than of each other one lie on the late ranks, compared with the other
  // ranks. The samples themselves: how stretches were divided may have given all to one of two causes. Empty: all
  // ranks are late.
  std::vector<double> apart(const Report::Cause& cause,
                            const std::vector<const Report::Cause*>& others) const;

  // Standard error of a share of the waiting. Samples on a late rank fall on the cause or on what else runs there by
  // chance, and so do those on the ranks that it is compared with.
  double error(const Report::Cause& cause, double excess_of_all, double share_of_all) const;

 private:
  // Computation of one rank between the same two MPI calls.
  struct Stretches {
    std::uint32_t kind = 0;  // the two calls
    std::int64_t rank = 0;
    double periods = 0, samples = 0;  // its time, in sampling periods; never without samples
    double per_sample() const { return periods / samples; }
    double square(double weight) const { return samples * std::pow(weight * per_sample(), 2); }
  };
  struct Samples {
    std::uint32_t of = 0;  // index of stretches, or a kind
    double samples = 0;
  };
  struct OfCause {
    std::vector<Samples> stretches{}, kinds{};  // ascending
  };
  struct Weights {
    std::vector<std::int64_t> late;  // ascending
    double of_late = 1, of_others = 0;
    double of(std::int64_t rank) const;
  };

  const OfCause& samples_of(const Report::Cause& cause) const;
  // Of the samples that a rank has in stretches of a kind.
  double share_of(const OfCause& cause, const Stretches& here, double samples) const;
  double weighted(const OfCause& cause, const Weights& weights) const;

  double period_ = 0;  // seconds that one sample represents; 0: nothing is known through samples
  std::size_t ranks_ = 0;
  std::unordered_set<std::string> known_;
  std::vector<Stretches> stretches_;     // by kind
  std::vector<double> samples_of_kind_;  // by kind
  std::unordered_map<std::string, OfCause> of_cause_;
};

}  // namespace waitdiag
