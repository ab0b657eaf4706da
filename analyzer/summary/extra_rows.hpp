// The parts of a report about efficiency by part of the run, messages, resources and the parts of the run.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/efficiency/efficiency.hpp"
#include "analyzer/diagnosis/patterns/wait_states.hpp"
#include "analyzer/diagnosis/resources/resource_use.hpp"
#include "analyzer/diagnosis/steps/steps.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

Report::Efficiency efficiency_row(const EfficiencyTree& tree, const char* method);
void add_efficiency_by_part(const Trace& trace, const Results& results, Report& report);
void add_messages(const Trace& trace, const SyncPoints& sync, const WaitStates& states, Report& report);
void add_resources(const ResourceUse& use, Report& report);
void add_files(const Trace& trace, Report& report);
void add_characteristics(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                         const Steps& steps, Report& report);

}  // namespace waitdiag
