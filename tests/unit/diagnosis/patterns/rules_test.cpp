// The rules alone, on made-up messages and collectives: every condition and clamp of the formulas.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <random>
#include <vector>

#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CallTimes call(std::int64_t enter, std::int64_t leave, CallKind kind) {
  return {at(enter), at(leave), kind};
}
MessageView message(CallTimes send, CallTimes receive) {
  return {.send = send, .send_completion = send, .receive_request = receive, .receive = receive};
}
std::int64_t wait(const WaitPattern& pattern, const MessageView& view) {
  return pattern.on_message(view).count();
}

TEST(LateSenderRule, FromTheReceiveToTheSend) {
  const CallTimes send = call(40, 50, CallKind::Send);
  EXPECT_EQ(wait(late_sender, message(send, call(10, 52, CallKind::Recv))), 30);
  EXPECT_LE(wait(late_sender, message(send, call(45, 52, CallKind::Recv))), 0);
}

TEST(LateSenderRule, NeverLongerThanTheCall) {
  EXPECT_EQ(wait(late_sender, message(call(40, 50, CallKind::Send), call(10, 30, CallKind::Recv))), 20);
}

TEST(LateSenderRule, OnlyInCallsThatWait) {
  using enum CallKind;
  const CallTimes send = call(40, 50, Send);
  for (const CallKind kind : {Recv, Sendrecv, Wait, Waitany, Waitall, Waitsome}) {
    EXPECT_EQ(wait(late_sender, message(send, call(10, 52, kind))), 30);
  }
  for (const CallKind kind : {Test, Testany, Testall, Testsome, OtherMpi, Probe}) {
    EXPECT_EQ(wait(late_sender, message(send, call(10, 52, kind))), 0);
  }
}

TEST(LateReceiverRule, FromTheSendToTheRequestIfItEndedAfterwards) {
  const CallTimes receive = call(40, 50, CallKind::Recv);
  EXPECT_EQ(wait(late_receiver, message(call(10, 48, CallKind::Send), receive)), 30);
  EXPECT_EQ(wait(late_receiver, message(call(10, 40, CallKind::Send), receive)), 0);
  EXPECT_LE(wait(late_receiver, message(call(45, 60, CallKind::Send), receive)), 0);
}

TEST(LateReceiverRule, OnlyInCallsThatWait) {
  using enum CallKind;
  const CallTimes receive = call(40, 50, Recv);
  for (const CallKind kind : {Send, Wait, Waitany, Waitall, Waitsome}) {
    EXPECT_EQ(wait(late_receiver, message(call(10, 48, kind), receive)), 30);
  }
  for (const CallKind kind : {Sendrecv, Test, Testall, OtherMpi}) {
    EXPECT_EQ(wait(late_receiver, message(call(10, 48, kind), receive)), 0);
  }
}

TEST(LateReceiverRule, BufferedAndReadySendsDoNotWait) {
  MessageView view = message(call(10, 48, CallKind::Send), call(40, 50, CallKind::Recv));
  for (const SendMode mode : {SendMode::Buffered, SendMode::Ready}) {
    view.mode = mode;
    EXPECT_EQ(wait(late_receiver, view), 0);
  }
  view.mode = SendMode::Synchronous;
  EXPECT_EQ(wait(late_receiver, view), 30);
}

struct Found {
  std::uint32_t victim, cause;
  std::int64_t wait;
  bool operator==(const Found&) const = default;
};
void PrintTo(const Found& found, std::ostream* out) {
  *out << found.victim << " waits " << found.wait << " for " << found.cause;
}

std::vector<Found> waits(const WaitPattern& pattern, const std::vector<Participant>& participants,
                         std::uint32_t root = 0) {
  std::vector<CollectiveWait> found;
  pattern.on_collective({participants, root}, found);
  std::vector<Found> result;
  for (const CollectiveWait& w : found) {
    if (w.wait > Duration::zero()) result.push_back({w.victim, w.cause, w.wait.count()});
  }
  return result;
}
Participant who(std::int64_t begin, std::int64_t end, bool sends = true, bool receives = true) {
  return {.begin = at(begin), .waits_from = at(begin), .end = at(end), .sends = sends, .receives = receives};
}

TEST(BarrierRule, AllWaitForTheLast) {
  EXPECT_THAT(waits(wait_at_barrier, {who(10, 45), who(40, 43), who(25, 44)}),
              ElementsAre(Found{0, 1, 30}, Found{2, 1, 15}));
  EXPECT_THAT(waits(barrier_completion, {who(10, 45), who(40, 43), who(25, 44)}),
              ElementsAre(Found{0, 1, 2}, Found{2, 1, 1}));
}

TEST(BarrierRule, NeverLongerThanTheCall) {
  EXPECT_THAT(waits(wait_at_barrier, {who(10, 30), who(40, 43)}), ElementsAre(Found{0, 1, 20}));
}

TEST(BarrierRule, CompletionStartsWithTheLastArrival) {
  EXPECT_THAT(waits(barrier_completion, {who(10, 30), who(40, 43)}), ElementsAre(Found{1, 1, 3}));
}

TEST(NxnRule, SilentOnesAreNotWaitedFor) {
  EXPECT_THAT(waits(wait_at_nxn, {who(10, 50), who(30, 50), who(40, 50, false, true)}),
              ElementsAre(Found{0, 1, 20}));
  EXPECT_THAT(waits(wait_at_nxn, {who(10, 50, true, false), who(30, 50)}), IsEmpty());
  EXPECT_THAT(waits(wait_at_nxn, {who(10, 50, false, true), who(30, 50, false, true)}), IsEmpty());
}

TEST(NxnRule, CompletionCountsThoseThatGiveAndTake) {
  EXPECT_THAT(waits(nxn_completion, {who(10, 45), who(30, 43), who(20, 41, true, false)}),
              ElementsAre(Found{0, 1, 2}));
}

TEST(BroadcastRule, ReceiversWaitForTheRoot) {
  EXPECT_THAT(waits(late_broadcast, {who(10, 45), who(40, 42), who(60, 62), who(5, 45, true, false)}, 1),
              ElementsAre(Found{0, 1, 30}));
}

TEST(ReduceRules, FirstTheFirstThenTheLastSender) {
  const std::vector<Participant> all = {who(10, 60), who(25, 30), who(40, 45), who(50, 55, false, true)};
  EXPECT_THAT(waits(early_reduce, all), ElementsAre(Found{0, 1, 15}));
  EXPECT_THAT(waits(late_reduce, all), ElementsAre(Found{0, 2, 15}));
}

TEST(ReduceRules, ARootInTheMiddleWaitsForTheLaterOnesOnly) {
  const std::vector<Participant> all = {who(30, 60), who(25, 30), who(40, 45)};
  EXPECT_THAT(waits(early_reduce, all), IsEmpty());
  EXPECT_THAT(waits(late_reduce, all), ElementsAre(Found{0, 2, 10}));
}

TEST(ReduceRules, NeverLongerThanTheCallTogether) {
  const std::vector<Participant> all = {who(10, 35), who(25, 30), who(40, 45)};
  EXPECT_THAT(waits(early_reduce, all), ElementsAre(Found{0, 1, 15}));
  EXPECT_THAT(waits(late_reduce, all), ElementsAre(Found{0, 2, 10}));
}

TEST(ReduceRules, WithoutAnySenderThereIsNoWait) {
  EXPECT_THAT(waits(early_reduce, {who(10, 60), who(25, 30, false, false)}), IsEmpty());
  EXPECT_THAT(waits(late_reduce, {who(10, 60), who(25, 30, false, false)}), IsEmpty());
}

TEST(ScanRule, WaitsForTheRanksBefore) {
  EXPECT_THAT(waits(early_scan, {who(30, 33), who(10, 33), who(5, 34), who(60, 62)}),
              ElementsAre(Found{1, 0, 20}, Found{2, 0, 25}));
  EXPECT_THAT(waits(early_scan, {who(30, 33), who(10, 33, false, false)}), IsEmpty());
}

TEST(Registry, EveryPatternExplainsItself) {
  for (const WaitPattern* pattern : wait_patterns()) {
    EXPECT_FALSE(pattern->title.empty() || pattern->summary.empty() || pattern->advice.empty() ||
                 pattern->rule.empty())
        << pattern->id;
    EXPECT_EQ(wait_patterns()[static_cast<std::size_t>(id_of(*pattern))], pattern);
    EXPECT_TRUE(pattern->part_of.empty() || !pattern->waiting) << pattern->id;
  }
}

// Of many sources as of few: each member waits for the last of those that it gets data from.
TEST(NxnRule, TheLastOfManySourcesIsFoundLikeThatOfFew) {
  constexpr std::uint32_t kMembers = 100;
  std::minstd_rand dice(1);
  std::vector<std::vector<PeerRun>> runs(kMembers);
  std::vector<Participant> members(kMembers);
  for (Participant& member : members) {
    std::vector<PeerRun>& sources = runs[static_cast<std::size_t>(&member - members.data())];
    const auto first = static_cast<std::uint32_t>(dice() % 20), last = first + 20,
               more = last + 10 + static_cast<std::uint32_t>(dice() % 30);
    sources = {{.first = first, .last = last}, {.first = more, .last = kMembers - 1}};
    const Time begin = at(static_cast<std::int64_t>(dice() % 50));
    member = {.begin = begin, .waits_from = begin, .end = at(60), .sources = {sources, 0}};
  }
  std::vector<CollectiveWait> found;
  wait_at_nxn.on_collective({.participants = members, .by_sources = true}, found);
  std::vector<Found> expected;
  for (std::uint32_t me = 0; me < kMembers; ++me) {
    std::uint32_t last = me;
    for (const PeerRun& run : runs[me])
      for (std::uint32_t i = run.first; i <= run.last; ++i)
        if (i != me && (last == me || members[i].begin > members[last].begin)) last = i;
    expected.push_back({me, last, (members[last].begin - members[me].begin).count()});
  }
  std::vector<Found> waits;
  for (const CollectiveWait& wait : found) waits.push_back({wait.victim, wait.cause, wait.wait.count()});
  EXPECT_EQ(waits, expected);
}

}  // namespace
}  // namespace waitdiag
