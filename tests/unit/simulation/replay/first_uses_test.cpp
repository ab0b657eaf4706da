// What the first operation in a communicator takes beyond later ones: found, and replayed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/first_uses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/simulation/prediction/predict.hpp"

namespace waitdiag {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two ranks, one after the other: how long each broadcast takes both of them, and what they compute between.
std::string broadcasts(const std::vector<int>& lengths) {
  std::string text;
  for (const int rank : {0, 1}) {
    text += "rank " + std::to_string(rank) + "\n";
    int now = 0;
    for (const int length : lengths) {
      text += " " + std::to_string(now) + ".." + std::to_string(now + 1000) + " f\n";
      now += 1000;
      text += " " + std::to_string(now) + ".." + std::to_string(now + length) + " MPI_Bcast root 0 bytes 8\n";
      now += length;
    }
  }
  return text;
}

Trace with_uses_of(const std::string& text) {
  Trace trace = parse_text(text);
  const SyncPoints sync = match(trace);
  return with_first_uses(std::move(trace), sync);
}

std::vector<FirstUse> found_in(const std::vector<int>& lengths) {
  return with_uses_of(broadcasts(lengths)).communicator(CommId{}).first_uses;
}

TEST(FirstUses, AreWhatTheFirstOneTakesBeyondLaterOnes) {
  EXPECT_THAT(found_in({5000, 110, 100, 120}), ElementsAre(FirstUse{CollectiveKind::Bcast, Duration(4890)}));
}

TEST(FirstUses, AreFarLongerWhereThereIsASingleLaterOne) {
  EXPECT_THAT(found_in({800, 100}), ElementsAre(FirstUse{CollectiveKind::Bcast, Duration(700)}));
  EXPECT_THAT(found_in({5000}), IsEmpty());
}

TEST(FirstUses, MayBeShortWhereSeveralLaterOnesTakeEquallyLong) {
  EXPECT_THAT(found_in({160, 101, 100, 102, 100}),
              ElementsAre(FirstUse{CollectiveKind::Bcast, Duration(59)}));
  EXPECT_THAT(found_in({160, 101, 130, 102, 100}), IsEmpty());
  EXPECT_THAT(found_in({160, 101, 100, 102}), IsEmpty()) << "three";
}

TEST(FirstUses, AreNotTakenFromOperationsThatDiffer) {
  EXPECT_THAT(found_in({210, 100, 100, 150}), IsEmpty()) << "not twice as long as the longest";
  EXPECT_THAT(found_in({400, 10, 10, 400}), IsEmpty());
  EXPECT_THAT(found_in({700, 100}), IsEmpty()) << "one later one says little";
  EXPECT_THAT(found_in({100, 5000, 100, 100}), IsEmpty());
}

TEST(FirstUses, AreReplayedBeforeTheMessagesOfTheFirstOperation) {
  Machine machine;
  machine.levels.resize(1);
  machine.levels[0].sharing = Sharing::None;
  machine.levels[0].intervals = {{0, 1000, 0}};
  const auto ends = [&](const Trace& trace) {
    std::vector<std::int64_t> all;
    for (const auto& location : Predictor(trace).predict({.machine = machine}, false).run.locations)
      all.push_back(location.end.time_since_epoch().count());
    return all;
  };
  const std::string text = broadcasts({5000, 100, 100, 100});
  const std::vector<std::int64_t> without = ends(parse_text(text)), with = ends(with_uses_of(text));
  EXPECT_EQ(with[1] - without[1], 4900);
  EXPECT_GE(with[0], without[0] + 4900);
}

TEST(FirstUses, OfSingleOperationsAreWhatTheyTakeBeyondAReplay) {
  const Trace trace = parse_text(broadcasts({5000})), replayed = parse_text(broadcasts({600}));
  const SyncPoints sync = match(trace);
  const std::set<CollectiveKind> kinds = dear_single_uses(trace, sync, replayed);
  EXPECT_THAT(kinds, ElementsAre(CollectiveKind::Bcast));
  EXPECT_THAT(with_single_uses(trace, sync, replayed, kinds).communicator(CommId{}).first_uses,
              ElementsAre(FirstUse{CollectiveKind::Bcast, Duration(4400)}));
  EXPECT_THAT(with_single_uses_as_recorded(trace, sync)->communicator(CommId{}).first_uses,
              ElementsAre(FirstUse{CollectiveKind::Bcast, Duration(5000)}));
}

TEST(FirstUses, OfSingleOperationsAreFarLongerThanInAReplay) {
  const Trace trace = parse_text(broadcasts({5000})), replayed = parse_text(broadcasts({700}));
  EXPECT_THAT(dear_single_uses(trace, match(trace), replayed), IsEmpty());
}

TEST(FirstUses, OfSingleOperationsAreOnlyThoseWithoutLaterOnes) {
  const Trace trace = parse_text(broadcasts({5000, 5000})), replayed = parse_text(broadcasts({10, 10}));
  const SyncPoints sync = match(trace);
  EXPECT_THAT(dear_single_uses(trace, sync, replayed), IsEmpty());
  EXPECT_FALSE(with_single_uses_as_recorded(trace, sync));
}

TEST(FirstUses, AreKeptByAPredictedRun) {
  const Trace trace = with_uses_of(broadcasts({5000, 100, 100, 100}));
  const Scenario scenario{};
  const Predictor predictor(trace);
  const Trace predicted = predictor.trace_of(predictor.predict(scenario, true), scenario);
  EXPECT_EQ(Predictor(predicted).predict(scenario, false).run.locations[1].end, predicted.end());
}

}  // namespace
}  // namespace waitdiag
