// The check in words.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/nightly/check/judge.hpp"
#include "analyzer/nightly/check/store.hpp"
#include "analyzer/results/check_result.hpp"

namespace waitdiag {

// "run time 2.70 s -> 3.10 s (+14.8 %; 5 and 50 runs, p 0.0002)", with what is missing where it is
// inconclusive. `known_nights`: how many nights of reference a verdict on one night alone needs.
std::string metric_sentence(const CheckResult::Metric& metric, const Evidence& evidence,
                            std::size_t known_nights);

// The id of the first figure with the worst verdict; "structure" where only that changed.
std::string leading_metric(const CheckResult& result);

// The verdict with its cause, at most four sentences. `comparison`: tonight beside its reference.
std::string check_sentence(const CheckResult& result, const Comparison& comparison);

// Why there is nothing to compare with although the store has runs of the case.
std::string new_series_note(const Fingerprint& tonight, const Fingerprint& other, std::uint64_t runs);

}  // namespace waitdiag
