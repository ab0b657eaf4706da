// The tables of the text report. Each prints nothing when it has nothing to say.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string>

#include "analyzer/results/report.hpp"
#include "analyzer/writers/text/text.hpp"

namespace waitdiag {

inline constexpr std::size_t kLabelWidth = 12;

// The label, and after it the text in a column of its own.
void print_labelled(const char* label, std::size_t indent, const std::string& text,
                    const TextOptions& options, std::ostream& out);

void print_efficiency(const Report& report, const TextOptions& options, std::ostream& out);
void print_waits(const Report& report, const TextOptions& options, std::ostream& out);
void print_causes(const Report& report, const TextOptions& options, std::ostream& out);
void print_unexplained(const Report& report, const TextOptions& options, std::ostream& out);
void print_delay_costs(const Report& report, const TextOptions& options, std::ostream& out);
void print_characteristics(const Report& report, const TextOptions& options, std::ostream& out);
void print_messages(const Report& report, const TextOptions& options, std::ostream& out);
void print_hotspots(const Report& report, const TextOptions& options, std::ostream& out);

// How a run that did not reach MPI_Finalize ended: the first sentence of its report, and the calls that were
// open. Nothing for a run that was finalised.
void print_ending(const Report& report, const TextOptions& options, std::ostream& out);
void print_open_calls(const Report& report, const TextOptions& options, std::ostream& out);

}  // namespace waitdiag
