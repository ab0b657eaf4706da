// The parts of page_data(): each adds its columns.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/writers/page/columns.hpp"
#include "analyzer/writers/page/page_data.hpp"
#include "analyzer/writers/page/page_times.hpp"
#include "analyzer/writers/page/selection.hpp"

namespace waitdiag {

struct PageView {
  const Trace& trace;
  const Diagnosis& diagnosis;
  const PageSelection& selection;
  const PageTimes& times;
};

void encode_operations(const PageView& view, Columns& columns);
void encode_off_processor(const PageView& view, Columns& columns);
// Returns the length of all shown waits together.
Duration encode_waits(const PageView& view, Columns& columns);
// Returns how many messages have an end that is not shown.
std::uint64_t encode_messages(const PageView& view, Columns& columns);
void encode_collectives(const PageView& view, Columns& columns);
void encode_critical_path(const PageView& view, Columns& columns);
void encode_steps(const PageView& view, Columns& columns);
void encode_call_paths(const Trace& trace, const Diagnosis& diagnosis, Columns& columns);
// `causes`: the call paths of the report's causes. See README.md for the codes.
void encode_overview(const Trace& trace, const Diagnosis& diagnosis, const PageSelection& selection,
                     const std::vector<std::vector<CallPathId>>& causes, Columns& columns);
void encode_message_matrix(const Report& report, std::uint64_t ranks, Columns& columns);

}  // namespace waitdiag
