// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/slot_records.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Call, receive or send, tag, the how manieth of these.
using EndKey = std::tuple<std::uint32_t, bool, std::int32_t, std::uint32_t>;
// Call, the how manieth of it.
using PartKey = std::pair<std::uint32_t, std::uint32_t>;

UsedComms no_comms(const Study& study) {
  UsedComms comms;
  for (const RunSize& size : study.sizes) comms.emplace_back(static_cast<std::size_t>(size.ranks), kNoComm);
  return comms;
}

class RecordCollector {
 public:
  explicit RecordCollector(const Study& study) : study_(study) {}

  void add(std::size_t run, int rank) {
    run_ = run;
    rank_ = static_cast<std::size_t>(rank);
    const Timeline& timeline = study_.timeline(run, rank);
    add_ends(timeline.sends(), true);
    add_ends(timeline.receives(), false);
    std::map<std::uint32_t, std::uint32_t> nth;
    for (const CollectivePart& part : timeline.collectives())
      if (part.op != kNoOp) add_part(part, nth[part.op]++);
  }

  SlotRecords take() {
    SlotRecords records;
    for (auto& [key, one] : messages_) records.messages.push_back(std::move(one));
    for (auto& [key, one] : collectives_) {
      if (one.pairs.size() != study_.runs.size()) one.pairs.clear();
      for (std::size_t run = 0; run < one.pairs.size(); ++run)
        if (one.pairs[run].empty()) one.pairs.clear();
      check_complete(one);
      records.collectives.push_back(std::move(one));
    }
    return records;
  }

 private:
  std::uint32_t call_of(std::uint32_t op) const { return study_.sequence.call(run_, rank_, op); }

  void add_ends(const std::vector<MessageEnd>& ends, bool send) {
    std::map<std::tuple<std::uint32_t, std::int32_t>, std::uint32_t> nth;
    for (const MessageEnd& end : ends) {
      if (end.cancelled || end.posted == kNoOp) continue;
      const std::uint32_t call = call_of(end.posted), completed = call_of(end.completed);
      const EndKey key{call, send, end.tag, nth[{end.posted, end.tag}]++};
      const auto [found, is_new] = messages_.try_emplace(key);
      MessageRecords& one = found->second;
      if (is_new) {
        one = {.call = call, .completed = completed, .send = send, .tag = end.tag};
        one.bytes = no_figures(study_);
        one.comms = no_comms(study_);
        for (const RunSize& size : study_.sizes)
          one.peers.emplace_back(static_cast<std::size_t>(size.ranks), -1);
      }
      if (one.completed != completed) refuse(call, "completes a request at another call than others");
      one.peers[run_][rank_] = static_cast<int>(end.peer);
      one.bytes[run_][rank_] = static_cast<double>(end.bytes);
      one.comms[run_][rank_] = end.comm;
    }
  }

  void add_part(const CollectivePart& part, std::uint32_t nth) {
    const std::uint32_t call = call_of(part.op), completed = call_of(part.completed);
    const auto [found, is_new] = collectives_.try_emplace({call, nth});
    CollectiveRecords& one = found->second;
    if (is_new) {
      one = {.call = call, .completed = completed, .kind = part.kind};
      one.sent = one.received = no_figures(study_);
      one.comms = no_comms(study_);
      for (const RunSize& size : study_.sizes)
        one.root.emplace_back(static_cast<std::size_t>(size.ranks), kNoRank);
    }
    if (one.completed != completed || one.kind != part.kind)
      refuse(call, "takes part in another collective operation than others, or completes it elsewhere");
    one.root[run_][rank_] = part.root;
    one.sent[run_][rank_] = static_cast<double>(part.sent);
    one.received[run_][rank_] = static_cast<double>(part.received);
    one.comms[run_][rank_] = part.comm;
    if (part.peers != kNoPeerList) add_pairs(part, one);
  }

  // What this rank sends; what it receives others send.
  void add_pairs(const CollectivePart& part, CollectiveRecords& one) {
    const Trace& trace = *study_.runs[run_].trace;
    const std::size_t members = trace.communicator(part.comm).members.size();
    if (members != trace.ranks()) return;
    one.pairs.resize(std::max(one.pairs.size(), run_ + 1));
    auto& matrix = one.pairs[run_];
    matrix.resize(members, std::vector<double>(members, 0));
    for (const PeerRun& peers : trace.peer_lists()[index(part.peers)].sent)
      for (std::uint32_t to = peers.first; to <= peers.last && to < members; ++to)
        matrix[rank_][to] = static_cast<double>(peers.bytes);
  }

  // Recorded by some ranks only: the rest of it is missing.
  void check_complete(const CollectiveRecords& one) const {
    for (std::size_t run = 0; run < one.comms.size(); ++run)
      for (std::size_t rank = 0; rank < one.comms[run].size(); ++rank)
        if (one.comms[run][rank] == kNoComm && study_.sequence.op(run, rank, one.call) != kNoOp)
          throw TraceError(
              fmt::format("the runs do not align: rank {} of {} takes no part in {} (call {}), others do",
                          rank, study_.runs[run].name, study_.sequence.names[one.call], one.call + 1));
  }

  [[noreturn]] void refuse(std::uint32_t call, const char* what) const {
    throw TraceError(fmt::format("the runs do not align: rank {} of {} {} at {} (call {})", rank_,
                                 study_.runs[run_].name, what, study_.sequence.names[call], call + 1));
  }

  const Study& study_;
  std::size_t run_ = 0, rank_ = 0;
  std::map<EndKey, MessageRecords> messages_;
  std::map<PartKey, CollectiveRecords> collectives_;
};

}  // namespace

SlotRecords collect_records(const Study& study) {
  RecordCollector collector(study);
  for (std::size_t run = 0; run < study.runs.size(); ++run)
    for (int rank = 0; rank < study.sizes[run].ranks; ++rank) collector.add(run, rank);
  return collector.take();
}

}  // namespace waitdiag
