// The trace for Perfetto, read back by its field numbers.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <protozero/pbf_reader.hpp>

#include "tests/unit/writers/exports/exports_support.hpp"

namespace waitdiag {
namespace {

using protozero::pbf_reader;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct Event {
  std::uint64_t time = 0, track = 0;
  int type = 0;
  std::string name{};
  std::map<std::string, std::string> notes{};
  std::vector<std::uint64_t> flows{}, ends{};
};

// Everything in the file, with names in place of numbers.
struct ReadBack {
  std::vector<Event> events;
  std::map<std::uint64_t, std::string> processes, threads, counters;  // by track
  std::map<std::uint32_t, std::map<std::uint64_t, std::string>> texts;
  std::vector<std::pair<std::uint64_t, double>> values;  // of counters

  explicit ReadBack(const std::string& bytes) {
    for (pbf_reader trace(bytes); trace.next(1);) read_packet(trace.get_message());
  }

 private:
  void read_packet(pbf_reader packet) {
    std::uint64_t time = 0;
    while (packet.next()) {
      switch (packet.tag()) {
        case 8:
          time = packet.get_uint64();
          break;
        case 11:
          read_event(time, packet.get_message());
          break;
        case 12:
          read_texts(packet.get_message());
          break;
        case 60:
          read_track(packet.get_message());
          break;
        default:
          packet.skip();
      }
    }
  }
  void read_texts(pbf_reader data) {
    while (data.next()) {
      auto& table = texts[data.tag()];
      pbf_reader pair = data.get_message();
      std::uint64_t number = 0;
      while (pair.next())
        pair.tag() == 1 ? void(number = pair.get_uint64()) : void(table[number] = pair.get_string());
    }
  }
  void read_track(pbf_reader track) {
    std::uint64_t uuid = 0;
    std::string name;
    while (track.next()) {
      if (track.tag() == 1) {
        uuid = track.get_uint64();
      } else if (track.tag() == 2) {
        name = track.get_string();
      } else if (track.tag() == 8) {
        counters[uuid] = name;
        track.skip();
      } else if (track.tag() == 3 || track.tag() == 4) {
        const bool process = track.tag() == 3;
        pbf_reader body = track.get_message();
        while (body.next())
          body.tag() == (process ? 6 : 5) ? void((process ? processes : threads)[uuid] = body.get_string())
                                          : body.skip();
      } else {
        track.skip();
      }
    }
  }
  void read_event(std::uint64_t time, pbf_reader body) {
    Event event{.time = time};
    while (body.next()) {
      switch (body.tag()) {
        case 4: {
          std::string name, value;
          for (pbf_reader note = body.get_message(); note.next();) {
            if (note.tag() == 1)
              name = texts[3][note.get_uint64()];
            else if (note.tag() == 17)
              value = texts[29][note.get_uint64()];
            else if (note.tag() == 4)
              value = std::to_string(note.get_int64());
            else
              note.skip();
          }
          event.notes[name] = value;
          break;
        }
        case 9:
          event.type = body.get_enum();
          break;
        case 10:
          event.name = texts[2][body.get_uint64()];
          break;
        case 11:
          event.track = body.get_uint64();
          break;
        case 30:
          values.emplace_back(event.track, static_cast<double>(body.get_int64()));
          break;
        case 44:
          values.emplace_back(event.track, body.get_double());
          break;
        case 47:
          event.flows.push_back(body.get_fixed64());
          break;
        case 48:
          event.ends.push_back(body.get_fixed64());
          break;
        default:
          body.skip();
      }
    }
    events.push_back(event);
  }
};

std::vector<std::string> lines_of(const ReadBack& trace, const std::string& thread) {
  std::vector<std::string> lines;
  for (const Event& event : trace.events)
    if (trace.threads.contains(event.track) && trace.threads.at(event.track) == thread)
      lines.push_back(std::to_string(event.time) + (event.type == 1 ? " " + event.name : " end"));
  return lines;
}

TEST(Perfetto, HasCallsAndWaitsAsNestedSlices) {
  const ReadBack trace(test::exported(write_perfetto));
  EXPECT_EQ(trace.processes.size(), 2u);
  EXPECT_THAT(lines_of(trace, "rank 0"),
              ElementsAre("0 solve", "10 end", "10 MPI_Recv", "10 waiting: Late Sender", "40 end", "52 end"));
  EXPECT_THAT(lines_of(trace, "rank 1"), ElementsAre("0 solve", "40 end", "40 MPI_Send", "50 end"));
}

TEST(Perfetto, SaysWhoCausedAWait) {
  const ReadBack trace(test::exported(write_perfetto));
  for (const Event& event : trace.events) {
    if (!event.name.starts_with("waiting")) continue;
    EXPECT_EQ(event.notes.at("pattern"), "late_sender");
    EXPECT_EQ(event.notes.at("late rank"), "1");
    EXPECT_EQ(event.notes.at("late call"), "main/MPI_Send");
    EXPECT_EQ(event.notes.at("caused by"), "main/solve");
    EXPECT_EQ(event.notes.at("caused by rank"), "1");
  }
}

// From the start of the send to the end of the receive, and from the start of the wait to the start of the
// call that ended it: a flow never goes back in time.
TEST(Perfetto, MessagesAndWaitsAreFlows) {
  const ReadBack trace(test::exported(write_perfetto));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> begins, ends;
  for (const Event& event : trace.events) {
    for (const std::uint64_t flow : event.flows) begins.emplace_back(event.time, flow);
    for (const std::uint64_t flow : event.ends) ends.emplace_back(event.time, flow);
  }
  EXPECT_THAT(begins, UnorderedElementsAre(std::pair(40u, 1u), std::pair(10u, 2u)));
  EXPECT_THAT(ends, UnorderedElementsAre(std::pair(52u, 1u), std::pair(40u, 2u)));
}

TEST(Perfetto, KeepsToTheSelection) {
  const ReadBack one(test::exported(write_perfetto, test::kLateSender, {.first_rank = 0, .last_rank = 0}));
  EXPECT_EQ(one.processes.size(), 1u);
  const ReadBack window(test::exported(write_perfetto, test::kLateSender, {.from_s = 20e-9, .to_s = 45e-9}));
  EXPECT_THAT(lines_of(window, "rank 0"),
              ElementsAre("20 MPI_Recv", "20 waiting: Late Sender", "40 end", "45 end"));
  for (const Event& event : one.events) EXPECT_THAT(event.flows, IsEmpty());
}

}  // namespace
}  // namespace waitdiag
