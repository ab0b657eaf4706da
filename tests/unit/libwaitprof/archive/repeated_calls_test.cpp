// Calls that are recorded as repetitions of earlier ones leave the bytes that their events would leave.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include "libwaitprof/records/local_ids.hpp"
#include "libwaitprof/records/location_writer.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"
#include "libwaitprof/trace_files/size_limit.hpp"
#include "tests/support/temporary_directory.hpp"

namespace waitprof::archive {
namespace {

constexpr std::uint32_t kSendrecv = 3, kBarrier = 4;

// The same calls twice: event by event, and as a buffer has them.
struct Calls {
  std::vector<Event> all, buffer;

  void add(const Event& event) {
    all.push_back(event);
    buffer.push_back(event);
  }
  static Event region(EventType type, std::uint64_t time, std::uint32_t region, std::uint32_t call_path = 7) {
    Event event = event_at(type, time);
    event.u.region = {region, type == EventType::Enter ? call_path : 0U};
    return event;
  }
  static Event message(EventType type, std::uint64_t time, std::int32_t peer) {
    Event event = event_at(type, time);
    event.u.message = {800, peer, 1234, kWorldComm, 0};
    return event;
  }
  static std::vector<Event> sendrecv(std::uint64_t enter, std::uint64_t leave) {
    return {region(EventType::Enter, enter, kSendrecv), message(EventType::Send, enter, 1),
            message(EventType::Recv, leave, 300), region(EventType::Leave, leave, kSendrecv)};
  }
  static std::vector<Event> barrier(std::uint64_t enter, std::uint64_t leave, std::uint32_t call_path = 7) {
    Event end = event_at(EventType::CollectiveEnd, leave);
    end.u.collective = {0, 0, kWorldComm, static_cast<std::uint32_t>(CollectiveOp::Barrier), kNoRoot};
    return {region(EventType::Enter, enter, kBarrier, call_path), event_at(EventType::CollectiveBegin, enter),
            end, region(EventType::Leave, leave, kBarrier)};
  }
  std::size_t add_call(const std::vector<Event>& events) {
    const std::size_t place = buffer.size();
    std::ranges::for_each(events, [this](const Event& event) { add(event); });
    return place;
  }
  void repeat(const std::vector<Event>& events, std::size_t place) {
    all.insert(all.end(), events.begin(), events.end());
    Event event = event_at(EventType::Repeat, events.front().time);
    const auto distance = static_cast<std::uint32_t>(buffer.size() - place);
    event.u.repeat = {events[0].u.region.region, events[0].u.region.call_path,
                      events.back().time - events.front().time, distance, 0};
    buffer.push_back(event);
  }
};

class RepeatedCalls : public ::testing::Test {
 protected:
  RepeatedCalls() { EXPECT_TRUE(open_session(tmp_ / "", true)) << last_error(); }
  ~RepeatedCalls() override {
    set_time_of_limit(UINT64_MAX);
    close_session();
  }

  // As thread 1: that of rank 0 would name its process.
  std::string written(const std::vector<Event>& events, bool each_path = false) {
    LocationWriter* const writer = LocationWriter::open(session.directory, 0, ++next_thread);
    if (each_path) {
      writer->write_each_path();
    }
    EXPECT_TRUE(writer->write(events));
    writer->finish();
    EXPECT_TRUE(writer->whole());
    return content_of(session.directory + "/traces/" + std::to_string(writer->location()) + ".evt");
  }

 private:
  const TemporaryDirectory tmp_;
  static inline std::uint32_t next_thread = 1;
};

TEST_F(RepeatedCalls, LeaveTheSameBytes) {
  Calls calls;
  const std::size_t sendrecv = calls.add_call(Calls::sendrecv(10, 12));
  const std::size_t barrier = calls.add_call(Calls::barrier(20, 26));
  for (std::uint64_t time = 100; time < 20'000; time += 100) {
    calls.repeat(Calls::sendrecv(time, time + time % 70), sendrecv);
    calls.repeat(Calls::barrier(time + 80, time + 90), barrier);
  }
  ASSERT_GT(calls.all.size(), 3 * calls.buffer.size());
  EXPECT_EQ(written(calls.buffer), written(calls.all));
}

// The call paths of both repeat, and now and then another call comes between.
TEST_F(RepeatedCalls, LeaveTheSameBytesWhereCallPathsAreLeftOut) {
  Calls calls;
  const std::size_t sendrecv = calls.add_call(Calls::sendrecv(10, 12));
  const std::size_t barrier = calls.add_call(Calls::barrier(20, 26, 8));
  for (std::uint64_t time = 100; time < 20'000; time += 100) {
    calls.repeat(Calls::sendrecv(time, time + 10), sendrecv);
    calls.repeat(Calls::barrier(time + 80, time + 90, 8), barrier);
    if (time % 1700 == 0) {
      calls.add_call(Calls::sendrecv(time + 92, time + 93));
      calls.repeat(Calls::barrier(time + 95, time + 96, 8), barrier);
    }
  }
  EXPECT_EQ(written(calls.buffer), written(calls.all));
  EXPECT_EQ(written(calls.buffer, true), written(calls.all, true));
  constexpr std::size_t kBytesOfAPath = 8, kCalls = 400;
  EXPECT_LT(written(calls.buffer).size() + kBytesOfAPath * kCalls, written(calls.buffer, true).size());
}

// The time of the first one is that of the event before; the second one took no time; polls came before the third.
TEST_F(RepeatedCalls, AreWrittenEventByEventWhereTimesOrAttributesDiffer) {
  Calls calls;
  const std::size_t place = calls.add_call(Calls::sendrecv(10, 12));
  calls.repeat(Calls::sendrecv(14, 15), place);
  calls.repeat(Calls::sendrecv(15, 16), place);
  calls.repeat(Calls::sendrecv(17, 17), place);
  Event polls = event_at(EventType::Polls, 20);
  polls.u.step = 300;
  calls.add(polls);
  calls.repeat(Calls::sendrecv(20, 21), place);
  calls.repeat(Calls::sendrecv(19, 21), place);  // goes backwards
  calls.repeat(Calls::sendrecv(30, 31), place);
  EXPECT_EQ(written(calls.buffer), written(calls.all));
}

TEST_F(RepeatedCalls, EndAtTheSizeLimit) {
  Calls calls;
  const std::size_t place = calls.add_call(Calls::sendrecv(10, 20));
  for (std::uint64_t time = 30; time < 200; time += 20) {
    calls.repeat(Calls::sendrecv(time, time + 10), place);
  }
  set_time_of_limit(115);
  EXPECT_EQ(written(calls.buffer), written(calls.all));
}

// What a damaged buffer says.
TEST_F(RepeatedCalls, OfNothingAreLeftOut) {
  Calls calls;
  calls.add_call(Calls::sendrecv(10, 20));
  const std::string before = written(calls.buffer);
  Event event = event_at(EventType::Repeat, 30);
  for (const std::uint32_t distance : {0U, 100U, UINT32_MAX}) {
    event.u.repeat = {kSendrecv, 7, 5, distance, 0};
    calls.buffer.push_back(event);
  }
  EXPECT_EQ(written(calls.buffer), before);
}

}  // namespace
}  // namespace waitprof::archive
