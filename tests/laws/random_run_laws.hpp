// Laws of random runs of several sizes; the parameter is the seed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "tests/laws/random_run.hpp"

namespace waitdiag::test {

class RandomRunLaws : public testing::TestWithParam<std::uint64_t> {
 protected:
  static Trace run(bool sampled = false) {
    return RandomRun({.seed = GetParam(), .ranks = 3 + static_cast<int>(GetParam() % 5), .sampled = sampled})
        .trace();
  }
};

}  // namespace waitdiag::test
