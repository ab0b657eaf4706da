// What one MPI operation of the text notation did: turns its clauses ("to 1 tag 3 bytes 64", "completes 7",
// ...) into records for TraceBuilder, in time order.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyzer/formats/notation/text_line.hpp"
#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag {

// What the clauses need from the parser.
// A request in flight.
struct PostedRequest {
  enum class What : std::uint8_t { Send, Receive, Collective };
  What what = What::Receive;
  CollectivePart part{};  // Collective only
};

struct ClauseContext {
  Time enter{}, leave{};
  Location location{};
  Rank rank{};
  const Region* region = nullptr;
  std::function<Time(std::string_view)> time;                  // "45" in the trace's unit
  std::function<CommId(const std::string&)> communicator;      // by name
  std::function<PeerListId(const PeerList&)> peer_list;        // equal lists, equal ids
  std::map<std::uint64_t, PostedRequest>* requests = nullptr;  // of this location
};

// "40 cpu 38 memory 4096 load 3": what was used so far; `time` as in ClauseContext.
UsageReading read_reading(TextLine& line, const std::function<Time(std::string_view)>& time);

// Reads the rest of the line and feeds its records.
void feed_clauses(TextLine& line, const ClauseContext& context, TraceBuilder& builder);

}  // namespace waitdiag
