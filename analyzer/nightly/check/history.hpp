// Nights: runs that were checked together, and which of them are the reference for a figure.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/nightly/check/store.hpp"

namespace waitdiag {

struct StoredNight {
  std::string time, commit;
  std::vector<const StoredRun*> runs{};
  StoredVerdict verdict{};  // PASS where the store has none (a night that was only recorded)
};

// In the order of time; the runs still belong to the store.
std::vector<StoredNight> nights_of(const Store& store);

// The nights at the current level: indices of those that a new one is compared with, oldest first, and of
// those since judged worse (or changed), which are not among them.
struct Level {
  std::vector<std::size_t> reference{}, worse{};
};

// Nights enter the reference of `metric` unless they were judged worse or better there. A worse level becomes
// the reference when a user accepts it, a better one when two of three nights have it.
Level level_of(const std::vector<StoredNight>& nights, const std::vector<Acceptance>& acceptances,
               const std::string& metric);

}  // namespace waitdiag
