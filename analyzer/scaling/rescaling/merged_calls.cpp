// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/merged_calls.hpp"

#include <algorithm>
#include <map>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

constexpr int kNobody = -1;

// What tells a call from others of the same name: whom it sends to and receives from.
struct Call {
  std::uint32_t name = 0;
  int rank = 0, to = kNobody, from = kNobody;
  std::int32_t tag = 0;
  // As far as it matters here: ranks with the same calls are aligned once.
  auto key() const {
    return std::tuple(name, to == kNobody ? 0 : to - rank, from == kNobody ? 0 : from - rank, tag);
  }
};

std::vector<Call> calls_of(const Trace& trace, std::size_t rank, const std::vector<std::uint32_t>& names) {
  const Timeline& timeline = trace.timeline(trace.main_location(Rank(rank)));
  std::vector<Call> calls;
  for (const std::uint32_t name : names) calls.push_back({.name = name, .rank = static_cast<int>(rank)});
  for (const MessageEnd& end : timeline.sends())
    if (end.posted != kNoOp) {
      calls[end.posted].to = static_cast<int>(end.peer);
      calls[end.posted].tag = end.tag;
    }
  for (const MessageEnd& end : timeline.receives())
    if (end.posted != kNoOp) {
      calls[end.posted].from = static_cast<int>(end.peer);
      calls[end.posted].tag = end.tag;
    }
  return calls;
}

// The same neighbour counts most, then the same direction; a rank without neighbour may be at an edge.
int likeness(int rank, int peer, int other_rank, int other) {
  constexpr int kSame = 4, kDirection = 2, kUnlike = 0;
  if (peer == kNobody && other == kNobody) return kSame;
  if (peer == kNobody || other == kNobody) return kUnlike;
  if (peer - rank == other - other_rank || (peer ^ rank) == (other ^ other_rank) || peer == other)
    return kSame;
  return (peer < rank) == (other < other_rank) ? kDirection : kUnlike;
}

// 0: these are two calls.
int likeness(const Call& a, const Call& b) {
  constexpr int kName = 1;
  const bool both = (a.to != kNobody || a.from != kNobody) && (b.to != kNobody || b.from != kNobody);
  if (a.name != b.name || (both && a.tag != b.tag)) return 0;
  return kName + likeness(a.rank, a.to, b.rank, b.to) + likeness(a.rank, a.from, b.rank, b.from);
}

class Merging {
 public:
  explicit Merging(const CallSequence& sequence) : sequence_(sequence) {}

  // Where each of `calls` is among all; new ones are put between those.
  std::vector<std::uint32_t> add(const std::vector<Call>& calls) {
    const std::vector<std::uint32_t> kept = best_pairs(calls);
    std::vector<Call> merged;
    std::vector<std::uint32_t> moved(all_.size()), places(calls.size());
    std::size_t next = 0;
    const auto take_until = [&](std::size_t end) {
      for (; next < end; ++next) {
        moved[next] = static_cast<std::uint32_t>(merged.size());
        merged.push_back(all_[next]);
      }
    };
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (kept[i] != kNoOp) {
        take_until(kept[i] + 1);
        places[i] = static_cast<std::uint32_t>(merged.size() - 1);
        Call& like = merged.back();
        if (like.to == kNobody && like.from == kNobody) like = calls[i];
      } else {
        places[i] = static_cast<std::uint32_t>(merged.size());
        merged.push_back(calls[i]);
      }
    }
    take_until(all_.size());
    for (auto* before : earlier_)
      for (std::uint32_t& place : *before) place = moved[place];
    all_ = std::move(merged);
    return places;
  }
  void follow(std::vector<std::uint32_t>& places) { earlier_.push_back(&places); }
  const std::vector<Call>& all() const { return all_; }

 private:
  // The common part of both that is most alike: for each of `calls`, the one that it is, or kNoOp.
  std::vector<std::uint32_t> best_pairs(const std::vector<Call>& calls) {
    const std::size_t rows = calls.size(), columns = all_.size();
    constexpr std::size_t kMost = 400'000'000;
    work_ += rows * columns;
    if (work_ > kMost) throw TraceError(sequence_.difference);
    enum Way : std::uint8_t { Pair, SkipCall, SkipOther };
    std::vector<std::uint8_t> way(rows * columns, SkipOther);
    std::vector<int> below(columns + 1, 0), here(columns + 1, 0);
    for (std::size_t i = rows; i-- > 0; below.swap(here))
      for (std::size_t j = columns; j-- > 0;) {
        const int alike = likeness(calls[i], all_[j]);
        const int pair = alike > 0 ? alike + below[j + 1] : -1;
        here[columns] = 0;
        here[j] = std::max({pair, below[j], here[j + 1]});
        way[i * columns + j] = pair == here[j] ? Pair : here[j + 1] == here[j] ? SkipOther : SkipCall;
      }
    std::vector<std::uint32_t> pairs(rows, kNoOp);
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
      const std::uint8_t next = way[i * columns + j];
      if (next == Pair) pairs[i] = static_cast<std::uint32_t>(j);
      i += next != SkipOther ? 1 : 0;
      j += next != SkipCall ? 1 : 0;
    }
    return pairs;
  }

  const CallSequence& sequence_;
  std::vector<Call> all_;
  std::vector<std::vector<std::uint32_t>*> earlier_;
  std::size_t work_ = 0;
};

}  // namespace

std::vector<std::uint32_t> merge_calls(const std::vector<SourceRun>& runs, const CalledNames& called,
                                       CallSequence& sequence) {
  Merging merging(sequence);
  struct Kind {
    std::vector<std::uint32_t> places{};
  };
  using Keys = std::vector<decltype(Call().key())>;
  std::map<Keys, Kind> kinds;
  std::vector<std::vector<const Kind*>> kind_of(runs.size());
  // The largest run has all that there is, and its busiest rank most of it.
  for (std::size_t run = runs.size(); run-- > 0;) {
    std::vector<std::size_t> ranks(called[run].size());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank] = rank;
    std::ranges::stable_sort(ranks, std::ranges::greater(),
                             [&](std::size_t rank) { return called[run][rank].size(); });
    kind_of[run].resize(ranks.size());
    for (const std::size_t rank : ranks) {
      const std::vector<Call> calls = calls_of(*runs[run].trace, rank, called[run][rank]);
      Keys keys;
      for (const Call& call : calls) keys.push_back(call.key());
      const auto [known, is_new] = kinds.try_emplace(std::move(keys));
      kind_of[run][rank] = &known->second;
      if (!is_new) continue;
      known->second.places = merging.add(calls);
      merging.follow(known->second.places);
    }
  }
  sequence.ops.resize(runs.size());
  sequence.calls.resize(runs.size());
  const auto size = static_cast<std::uint32_t>(merging.all().size());
  for (std::size_t run = 0; run < runs.size(); ++run)
    for (const Kind* kind : kind_of[run]) {
      std::vector<std::uint32_t>& ops = sequence.ops[run].emplace_back(size + 1, kNoOp);
      for (std::size_t op = 0; op < kind->places.size(); ++op)
        ops[kind->places[op]] = static_cast<std::uint32_t>(op);
      ops[size] = static_cast<std::uint32_t>(kind->places.size());
      sequence.calls[run].push_back(kind->places);
      sequence.calls[run].back().push_back(size);
    }
  // A loop that grows with the ranks.
  for (std::uint32_t call = 0; call < size; ++call)
    for (const auto& run : sequence.ops)
      if (std::ranges::all_of(run, [call](const auto& ops) { return ops[call] == kNoOp; }))
        throw TraceError(sequence.difference);
  std::vector<std::uint32_t> names;
  for (const Call& call : merging.all()) names.push_back(call.name);
  return names;
}

}  // namespace waitdiag
