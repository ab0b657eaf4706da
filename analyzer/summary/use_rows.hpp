// The rows of a report about what the run used: the network, processors, memory and files.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/characteristics/message_profile.hpp"
#include "analyzer/diagnosis/resources/file_use.hpp"
#include "analyzer/diagnosis/resources/resource_use.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

void add_messages(const Trace& trace, const MessageProfile& profile, Report& report);
void add_resources(const ResourceUse& use, Report& report);
void add_files(const Trace& trace, const FileUse& use, Report& report);

}  // namespace waitdiag
