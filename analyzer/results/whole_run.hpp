// Reports of the recorder's light profile.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/results/report.hpp"

namespace waitdiag {

// The report as far as it goes for the whole run, to be compared with others: the figures of whole_run in the
// place of those of the excerpts; waits, causes and functions stretched to them. Other reports stay as they
// are.
Report of_whole_run(Report report);

}  // namespace waitdiag
