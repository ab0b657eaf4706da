// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/sequences/sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analyzer/scaling/sequences/differing_calls.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Numbers for names, the same in all runs.
class CallNames {
 public:
  std::vector<std::uint32_t> of(const Trace& trace, Location location) {
    const Timeline& timeline = trace.timeline(location);
    std::vector<std::uint32_t> numbers;
    numbers.reserve(timeline.size());
    for (std::uint32_t op = 0; op < timeline.size(); ++op)
      numbers.push_back(number(trace, timeline.call_path(op)));
    return numbers;
  }
  const std::string& name(std::uint32_t number) const { return names_[number]; }

 private:
  std::uint32_t number(const Trace& trace, CallPathId path) {
    const auto [known, is_new] = by_path_.try_emplace({&trace, path}, 0);
    if (is_new) {
      const auto [named, is_new_name] =
          by_name_.try_emplace(trace.call_path_name(path), static_cast<std::uint32_t>(names_.size()));
      if (is_new_name) names_.push_back(named->first);
      known->second = named->second;
    }
    return known->second;
  }
  std::map<std::pair<const Trace*, CallPathId>, std::uint32_t> by_path_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::vector<std::string> names_;
};

std::string difference_of(const std::vector<SourceRun>& runs, const CallNames& names,
                          const std::vector<std::uint32_t>& first, const std::vector<std::uint32_t>& other,
                          std::size_t run, std::size_t rank) {
  const auto [a, b] = std::mismatch(first.begin(), first.end(), other.begin(), other.end());
  const auto what = [&](const std::vector<std::uint32_t>& calls, auto at) {
    return at == calls.end() ? "is at its end" : "calls " + names.name(*at);
  };
  return fmt::format(
      "the runs do not align: at call {} rank {} of {} {}, but rank 0 of {} {} (calls of some ranks only "
      "need a rule that holds in all runs: ranks with a partner, the first, the last, those at an edge of a "
      "grid; loops "
      "that grow with the ranks need the same partners in each turn, or ever farther ones; waitdiag scale "
      "models call paths, and aligns no calls)",
      a - first.begin() + 1, rank, runs[run].name, what(other, b), runs.front().name, what(first, a));
}

void check_rescalable(const Trace& trace, const std::string& name) {
  for (std::size_t l = 0; l < trace.timelines().size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    if (trace.locations()[l].thread != 0 && timeline.size() > 0)
      throw TraceError(name + ": threads besides the main one make MPI calls: such a run cannot be rescaled");
  }
  if (!trace.facts().communication_complete)
    throw TraceError(name + " is incomplete (filtered, paused or cut off): record it again without limits");
}

}  // namespace

std::uint32_t CallSequence::place(std::uint32_t call) const {
  const GrowingLoop* const in = loop(call);
  return in == nullptr ? call : in->first + (call - in->first) % in->length;
}

Turn CallSequence::turn(std::uint32_t call) const {
  const GrowingLoop* const in = loop(call);
  if (in == nullptr) return {};
  return {static_cast<int>((call - in->first) / in->length), in->in_target};
}

void CallSequence::group_turns() {
  for (const GrowingLoop& loop : growing) {
    const bool known = *std::ranges::max_element(loop.turns) > 1;  // how turns other than the first look
    for (std::uint32_t i = (known ? 2 : 1) * loop.length;
         i < static_cast<std::uint32_t>(loop.in_target) * loop.length; ++i)
      groups[loop.first + i] = groups[loop.first + i - loop.length];
  }
}

std::vector<Instance> CallSequence::instances(std::uint32_t place, std::size_t runs) const {
  std::vector<Instance> all;
  for (std::size_t run = 0; run < runs; ++run)
    for (int turn = 0; turn < turns(run, place); ++turn) all.push_back({run, {turn, turns(run, place)}});
  return all;
}

std::size_t CallSequence::instance(std::uint32_t place, std::size_t run, int turn) const {
  auto at = static_cast<std::size_t>(turn);
  for (std::size_t before = 0; before < run; ++before) at += static_cast<std::size_t>(turns(before, place));
  return at;
}

std::uint32_t CallSequence::op(std::size_t run, std::size_t rank, std::uint32_t place, int turn) const {
  if (ops.empty()) return place;
  const GrowingLoop* const in = loop(place);
  const std::uint32_t first = first_op[run][place];
  if (in == nullptr) return ops[run][rank][first];
  return turn < in->turns[run] ? ops[run][rank][first + static_cast<std::uint32_t>(turn) * in->length]
                               : kNoOp;
}

CallSequence align(const std::vector<SourceRun>& runs, const Sizes& sizes, const Alignment& alignment,
                   std::size_t& work) {
  CallNames names;
  for (const SourceRun& run : runs) check_rescalable(*run.trace, run.name);
  CalledNames called;  // by run and rank
  for (const SourceRun& run : runs) {
    auto& of_run = called.emplace_back();
    for (std::size_t rank = 0; rank < run.trace->ranks(); ++rank)
      of_run.push_back(names.of(*run.trace, run.trace->main_location(Rank(rank))));
  }
  const std::vector<std::uint32_t>& first = called.front().front();
  if (first.empty())
    throw TraceError(runs.front().name + ": rank 0 makes no MPI call: there is nothing to rescale");
  CallSequence sequence;
  for (std::size_t run = 0; run < runs.size() && sequence.difference.empty(); ++run)
    for (std::size_t rank = 0; rank < called[run].size() && sequence.difference.empty(); ++rank)
      if (called[run][rank] != first)
        sequence.difference = difference_of(runs, names, first, called[run][rank], run, rank);
  if (sequence.difference.empty()) {
    for (const std::uint32_t call : first) sequence.names.push_back(names.name(call));
    return sequence;
  }
  const auto name_of = [&](std::uint32_t name) { return names.name(name); };
  for (const std::uint32_t call : put_side_by_side(runs, sizes, called, name_of, alignment, work, sequence))
    sequence.names.push_back(names.name(call));
  return sequence;
}

}  // namespace waitdiag
