// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/one_sided_laws.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/scaling/rank_laws/peer_sets.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// The data of one record of a call, by instance and rank.
struct OneSidedRecords {
  Instances instances{};
  bool exclusive = false, of_one = false, of_all = false;
  RankPeers targets{};
  RankGroups groups{};
  RankFigures bytes{}, returned{};
  std::vector<std::vector<std::uint64_t>> numbers{};
  UsedComms windows{};  // by run and rank
};

// Call, what it does, and its number among the records of that kind.
using RecordKey = std::tuple<std::uint32_t, RmaRecord::What, std::uint32_t>;
using AllRecords = std::map<RecordKey, OneSidedRecords>;

class OneSidedCollector {
 public:
  explicit OneSidedCollector(const Study& study) : study_(study) {}

  void add(std::size_t run, std::size_t rank) {
    std::map<std::pair<std::uint32_t, RmaRecord::What>, std::uint32_t> nth;
    for (const RmaRecord& record : study_.timeline(run, static_cast<int>(rank)).rma()) {
      if (record.op == kNoOp) continue;
      const CallSequence::Made made = study_.sequence.made(run, rank, record.op);
      OneSidedRecords& all = at({made.place, record.what, nth[{record.op, record.what}]++});
      const std::size_t instance = study_.sequence.instance(made.place, run, made.turn);
      const Trace& trace = *study_.runs[run].trace;
      all.exclusive = record.exclusive;
      all.windows[run][rank] = record.window;
      (record.target == kNoRank ? all.of_all : all.of_one) = true;
      all.targets[instance][rank] = record.target == kNoRank ? -1 : static_cast<int>(record.target);
      all.bytes[instance][rank] = static_cast<double>(record.bytes);
      all.returned[instance][rank] = static_cast<double>(record.returned);
      all.numbers[instance][rank] = record.number;
      if (record.group == kNoPeerList) continue;
      for (const PeerRun& peers : trace.peer_lists()[index(record.group)].sent)
        for (std::uint32_t peer = peers.first; peer <= peers.last; ++peer)
          all.groups[instance][rank].push_back(static_cast<int>(peer));
    }
  }
  AllRecords take() {
    for (auto& [key, one] : records_)
      for (std::size_t i = 0; i < one.instances.size(); ++i)
        for (std::size_t rank = 0; rank < one.targets[i].size(); ++rank) {
          const Instance& at = one.instances[i];
          if (study_.sequence.op(at.run, rank, std::get<0>(key), at.turn.number) == kNoOp)
            one.targets[i][rank] = kNoCall;
        }
    return std::move(records_);
  }

 private:
  OneSidedRecords& at(const RecordKey& key) {
    const auto [found, is_new] = records_.try_emplace(key);
    OneSidedRecords& one = found->second;
    if (is_new) {
      one.instances = study_.sequence.instances(std::get<0>(key), study_.runs.size());
      one.targets = by_rank(study_, one.instances, -1);
      one.groups = by_rank(study_, one.instances, std::vector<int>());
      one.bytes = one.returned = by_rank(study_, one.instances, kAbsent);
      one.numbers = by_rank(study_, one.instances, std::uint64_t{0});
      one.windows = by_rank(study_, each_run(study_), kNoComm);
    }
    return one;
  }

  const Study& study_;
  AllRecords records_;
};

}  // namespace

std::vector<OneSidedSlot> find_one_sided(const Study& study, Roles& roles, PeerLaws& peers,
                                         const FindSizes& sizes) {
  OneSidedCollector collector(study);
  for (std::size_t run = 0; run < study.runs.size(); ++run)
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(study.sizes[run].ranks); ++rank)
      collector.add(run, rank);
  std::vector<OneSidedSlot> slots;
  for (auto& [key, records] : collector.take()) {
    const std::uint32_t call = std::get<0>(key);
    const std::string& name = study.sequence.names[call];
    if (records.of_one && records.of_all)
      throw TraceError(name + " is about one rank here and about all there: such a run cannot be rescaled");
    OneSidedSlot slot{.call = call, .what = std::get<1>(key), .exclusive = records.exclusive};
    slot.role = roles.role_of(records.windows);
    if (records.of_one) slot.target = peers.find(records.instances, records.targets, name);
    slot.group = find_peer_set(study, records.instances, records.groups, name);
    const RanksApart apart = rank_0_apart(study, records.instances);
    slot.bytes = sizes({records.instances, records.bytes, apart}, slot.role);
    slot.returned = sizes({records.instances, records.returned, apart}, slot.role);
    slot.numbers = std::move(records.numbers.back());
    slots.push_back(std::move(slot));
  }
  return slots;
}

}  // namespace waitdiag
