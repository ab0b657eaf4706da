// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/sequences/merged_calls.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace waitdiag {
namespace {

class Merging {
 public:
  Merging(SameCall same, std::size_t& work) : same_(same), work_(work) {}

  // Where each of `calls` is among all; new ones are put between those. False: it would take too long.
  bool add(const std::vector<DescribedCall>& calls, std::vector<std::uint32_t>& places) {
    work_ += calls.size() * all_.size();
    if (work_ > kMostWork) return false;
    const std::vector<std::uint32_t> kept = best_pairs(calls, same_operations(calls));
    std::vector<DescribedCall> merged;
    std::vector<std::uint32_t> moved(all_.size());
    places.assign(calls.size(), 0);
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
        DescribedCall& like = merged.back();
        if (!like.has_peer()) like = calls[i];
      } else {
        places[i] = static_cast<std::uint32_t>(merged.size());
        merged.push_back(calls[i]);
      }
    }
    take_until(all_.size());
    for (auto* before : earlier_)
      for (std::uint32_t& place : *before) place = moved[place];
    for (auto& [operation, place] : operations_) place = moved[place];
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (calls[i].comm != kNoComm) operations_.try_emplace(operation_of(calls[i]), places[i]);
    all_ = std::move(merged);
    earlier_.push_back(&places);
    return true;
  }
  std::vector<DescribedCall> take() { return std::move(all_); }

 private:
  // Members of a communicator call its operations in the same order (MPI 4.0, 6.14): run, communicator, its number.
  using Operation = std::tuple<std::size_t, CommId, int>;
  static Operation operation_of(const DescribedCall& call) { return {call.run, call.comm, call.nth}; }
  // Where other members' calls of the same operations are; kNoOp: none has been added so far.
  std::vector<std::uint32_t> same_operations(const std::vector<DescribedCall>& calls) const {
    std::vector<std::uint32_t> same;
    for (const DescribedCall& call : calls) {
      const auto found = call.comm == kNoComm ? operations_.end() : operations_.find(operation_of(call));
      same.push_back(found == operations_.end() ? kNoOp : found->second);
    }
    return same;
  }
  // The most similar common part of both: for each of `calls`, the one that it corresponds to, or kNoOp.
  std::vector<std::uint32_t> best_pairs(const std::vector<DescribedCall>& calls,
                                        const std::vector<std::uint32_t>& same) const {
    constexpr int kCertain = 1 << 12;  // more than a step's calls by likeness
    const std::size_t rows = calls.size(), columns = all_.size();
    enum Way : std::uint8_t { Pair, SkipCall, SkipOther };
    std::vector<std::uint8_t> way(rows * columns, SkipOther);
    std::vector<int> below(columns + 1, 0), here(columns + 1, 0);
    for (std::size_t i = rows; i-- > 0; below.swap(here))
      for (std::size_t j = columns; j-- > 0;) {
        const bool certain = same[i] == j && calls[i].name == all_[j].name;
        const int alike = (certain ? kCertain : 0) + likeness(calls[i], all_[j], same_);
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

  std::vector<DescribedCall> all_;
  std::map<Operation, std::uint32_t> operations_;  // where they are in `all_`
  std::vector<std::vector<std::uint32_t>*> earlier_;
  SameCall same_;
  std::size_t& work_;
};

}  // namespace

std::optional<MergedCalls> merge_calls(const CallKinds& kinds, const std::vector<std::size_t>& which,
                                       SameCall same, std::size_t& work) {
  Merging merging(same, work);
  MergedCalls merged;
  merged.places.resize(kinds.calls.size());
  for (const std::size_t kind : which)
    if (!merging.add(kinds.calls[kind], merged.places[kind])) return std::nullopt;
  merged.all = merging.take();
  return merged;
}

}  // namespace waitdiag
