// How a report names things: a function, its place, and the ranks that matter.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/results/report.hpp"

namespace waitdiag {

// Names of functions are those of short_names.hpp.
std::string function_label(const std::string& function);  // "foo()"
// Time that it did not run: "I/O of foo()", of "foo (blocked in write (out.dat))" that waited for "io".
std::string waiting_label(const std::string& function, const std::string& waited_for);
// Of "solve (processor taken away)", "(processor taken away)".
bool is_taken_processor(const std::string& function);

// "thread 2 of 4 in flux()", or, where it is not the same one each time, "the latest of 4 threads in flux()".
std::string late_thread_label(const LateThread& late);
// "18 % more instructions than on other ranks, ...", of `late` ranks.
std::string work_sentence(const WorkDifference& work, const std::string& late);
// The same with its callers, `names` names in all: "solve/smooth()".
std::string function_with_callers(const std::string& call_path, const std::string& function,
                                  std::size_t names);
// The same with as many callers as needed to distinguish it from the other call paths.
std::string distinct_name(const std::string& call_path, const std::string& function,
                          const std::vector<std::string>& others);
// " (main at solver.c:24)" where only this call of a function is late, otherwise "".
std::string called_at(const Report::Cause& cause);
std::string place_label(const std::string& file,
                        std::uint32_t line);  // "rhs.f90:212" without folders, "" when unknown
std::string pattern_title(const Report& report,
                          const std::string& pattern);  // "Late Sender"; the id when not listed

// Where something was, in a sentence: "on rank 3", "on all 64 ranks"; "mostly on rank 3 (71 %)".
std::string on_ranks_label(const std::vector<Report::ByRank>& by_rank, std::uint64_t ranks_of_run);

// The leading ranks in a sentence: "rank 3", "ranks 12-15", "all 64 ranks".
std::string ranks_label(const std::vector<Report::ByRank>& by_rank, std::uint64_t ranks_of_run);

// The same for a table column of `width` characters under the heading "ranks": "3", "12-15", "all", "40
// ranks"; "3 (71 %)" where that one dominates.
std::string ranks_cell(const std::vector<Report::ByRank>& by_rank, std::uint64_t ranks_of_run,
                       std::size_t width);

}  // namespace waitdiag
