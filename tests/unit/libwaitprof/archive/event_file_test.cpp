// Events written by the recorder, read back by OTF2's own reader.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <otf2/otf2.h>
#include <sys/resource.h>

#include "libwaitprof/definitions/write_definitions.hpp"
#include "libwaitprof/records/local_ids.hpp"
#include "libwaitprof/records/location_writer.hpp"
#include "libwaitprof/surroundings/quiet_section.hpp"
#include "libwaitprof/trace_files/archive_file.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"
#include "libwaitprof/trace_files/size_limit.hpp"
#include "tests/support/temporary_directory.hpp"

// OTF2 3.0.2 does not free its definition writers.
extern "C" const char* __lsan_default_suppressions();  // NOLINT
const char* __lsan_default_suppressions() {            // NOLINT
  return "leak:otf2_def_writer_new";
}

namespace waitprof::archive {
namespace {

using ::testing::ElementsAre;

Event at(std::uint64_t time, EventType type, Event::Payload payload = {}) {
  Event event = event_at(type, time);
  event.u = payload;
  return event;
}

Event enter(std::uint64_t time, std::uint32_t region, std::uint32_t call_path = 0) {
  return at(time, EventType::Enter, {.region = {region, call_path}});
}

Event leave(std::uint64_t time, std::uint32_t region) {
  return at(time, EventType::Leave, {.region = {region, 0}});
}

Event message(std::uint64_t time, EventType type, int peer, std::uint32_t request = 0) {
  return at(time, type, {.message = {8, peer, 5, kWorldComm, request}});
}

// One location with local ids = global ids and two communicators.
Definitions one_rank(const LocationWriter& writer) {
  Definitions d;
  d.modules = {{"/opt/app", "aa"}};
  d.texts = {"app"};
  for (std::uint32_t local = 0; local < local_region_count(); ++local) {
    d.regions.push_back({RegionKind::Named, {}, "r" + std::to_string(region_of_local(local)), {}});
  }
  d.places.resize(1);
  d.call_paths.resize(1);
  d.communicators.resize(2);
  d.communicators[kWorldComm].members = {{0, 1, 2}};
  d.ranks.resize(1);
  d.ranks[0].rank = static_cast<std::uint32_t>(writer.location());
  d.ranks[0].threads = {{0, writer.events()}};
  d.ranks[0].first_time = writer.first_time();
  d.ranks[0].last_time = writer.last_time();
  d.world_size = d.ranks[0].rank + 2;
  return d;
}

// For one test: the time at which the process had reached its size limit.
struct SizeLimit {
  ~SizeLimit() { set_time_of_limit(UINT64_MAX); }
};

// The names of regions by id, and the events read so far.
struct Read {
  std::vector<std::string> strings, regions, events;
  void add(OTF2_TimeStamp time, const std::string& text) {
    events.push_back(std::to_string(time) + " " + text);
  }
};

Read& into(void* data) {
  return *static_cast<Read*>(data);
}

void read_definitions(OTF2_Reader* reader, Read& read) {
  OTF2_GlobalDefReaderCallbacks* callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks,
                                                  [](void* data, OTF2_StringRef, const char* text) {
                                                    into(data).strings.emplace_back(text);
                                                    return OTF2_CALLBACK_SUCCESS;
                                                  });
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
      callbacks, [](void* data, OTF2_RegionRef, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
                    OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef, uint32_t, uint32_t) {
        into(data).regions.push_back(into(data).strings[name]);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &read);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  std::uint64_t count = 0;
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
}

using Attributes = OTF2_AttributeList;

OTF2_EvtReaderCallbacks* event_callbacks() {
  OTF2_EvtReaderCallbacks* callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, [](OTF2_LocationRef, OTF2_TimeStamp time, uint64_t,
                                                         void* data, Attributes* list, OTF2_RegionRef r) {
    OTF2_CallingContextRef path = 0;
    const bool has =
        OTF2_AttributeList_GetCallingContextRef(list, kCallPathAttributeRef, &path) == OTF2_SUCCESS;
    std::uint64_t polls = 0;
    const bool polled = OTF2_AttributeList_GetUint64(list, kPollsAttributeRef, &polls) == OTF2_SUCCESS;
    into(data).add(time, "enter " + into(data).regions[r] + (has ? " path " + std::to_string(path) : "") +
                             (polled ? " polls " + std::to_string(polls) : ""));
    return OTF2_CALLBACK_SUCCESS;
  });
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, [](OTF2_LocationRef, OTF2_TimeStamp time, uint64_t,
                                                         void* data, Attributes*, OTF2_RegionRef r) {
    into(data).add(time, "leave " + into(data).regions[r]);
    return OTF2_CALLBACK_SUCCESS;
  });
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* data, Attributes*, uint32_t peer,
                    OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request) {
        into(data).add(time, "isend to " + std::to_string(peer) + " comm " + std::to_string(comm) + " tag " +
                                 std::to_string(tag) + " bytes " + std::to_string(bytes) + " request " +
                                 std::to_string(request));
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(
      callbacks,
      [](OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* data, Attributes*, OTF2_TimeStamp stop) {
        into(data).add(time, "flush until " + std::to_string(stop));
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* data, Attributes*,
                    OTF2_ParameterRef, uint64_t value) {
        into(data).add(time, "sample " + std::to_string(value));
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetProgramBeginCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* data, Attributes*,
                    OTF2_StringRef name, uint32_t, const OTF2_StringRef*) {
        into(data).add(time, "program " + into(data).strings[name]);
        return OTF2_CALLBACK_SUCCESS;
      });
  return callbacks;
}

Read read_archive(const std::string& directory, OTF2_LocationRef location) {
  Read read;
  OTF2_Reader* reader = OTF2_Reader_Open((directory + "/traces.otf2").c_str());
  if (reader == nullptr) {
    return read;
  }
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  read_definitions(reader, read);
  OTF2_Reader_SelectLocation(reader, location);
  OTF2_Reader_OpenDefFiles(reader);
  OTF2_Reader_OpenEvtFiles(reader);
  std::uint64_t count = 0;
  OTF2_DefReader* local = OTF2_Reader_GetDefReader(reader, location);
  if (local != nullptr) {
    OTF2_Reader_ReadAllLocalDefinitions(reader, local, &count);
  }
  OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, location);
  OTF2_EvtReaderCallbacks* callbacks = event_callbacks();
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &read);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  OTF2_Reader_ReadAllLocalEvents(reader, events, &count);
  OTF2_Reader_Close(reader);
  return read;
}

// Location writers live as long as the process, so every test is another rank.
std::uint32_t next_rank = 0;

class RecordedEvents : public ::testing::Test {
 protected:
  LocationWriter& open() {
    EXPECT_TRUE(open_session(tmp / "", true)) << last_error();
    writer_ = LocationWriter::open(session.directory, next_rank++, 0);
    return *writer_;
  }
  Definitions close() {
    writer_->finish();
    if (!writer_->whole()) {
      writer_->cut();
    }
    Definitions definitions = one_rank(*writer_);
    const GlobalIds ids = write_global_definitions(session.otf2, definitions);
    const ClockOffset clocks[] = {{0, 0}, {100, 0}};
    const OTF2_LocationRef location = writer_->location();
    OTF2_Archive_OpenDefFiles(session.otf2);
    EXPECT_TRUE(ids.good && write_local_definitions(session.otf2, {&location, 1}, ids.maps, clocks));
    OTF2_Archive_CloseDefFiles(session.otf2);
    EXPECT_TRUE(close_session());
    return definitions;
  }

  const TemporaryDirectory tmp;

 private:
  LocationWriter* writer_ = nullptr;
};

TEST_F(RecordedEvents, HoldsWhatWasRecorded) {
  LocationWriter& writer = open();
  writer.write(std::vector<Event>{
      enter(10, 4100),
      enter(20, 7, 1),
      message(20, EventType::Isend, 1, 3),
      leave(25, 7),
      at(30, EventType::FlushBegin),
      at(40, EventType::FlushEnd),
      at(50, EventType::Sample, {.sample = {1, 2}}),
      at(51, EventType::Polls, {.step = 300}),
      enter(51, 7, 1),
      leave(52, 7),
      at(53, EventType::Polls, {.step = 4}),
      enter(53, 7),
      leave(54, 7),
      enter(55, 7),
      leave(56, 7),
      leave(60, 4100),
  });
  close();
  EXPECT_THAT(read_archive(tmp / "", writer.location()).events,
              ElementsAre("10 program app", "10 enter r4100", "20 enter r7 path 0",
                          "20 isend to 1 comm 0 tag 5 bytes 8 request 2", "25 leave r7", "30 flush until 40",
                          "50 sample 2", "51 enter r7 path 0 polls 300", "52 leave r7", "53 enter r7 polls 4",
                          "54 leave r7", "55 enter r7", "56 leave r7", "60 leave r4100"));
}

TEST_F(RecordedEvents, IsOrderedAndNestedWhateverComes) {
  LocationWriter& writer = open();
  writer.write(std::vector<Event>{
      enter(10, 4100),
      at(30, EventType::Sample, {.sample = {0, 1}}),
      enter(29, 7),  // stamped before the sample that arrived between stamp and store
      at(31, EventType::Send, {.message = {8, 1, 5, kUnknownComm, 0}}),
  });
  close();
  EXPECT_EQ(writer.clamped_times(), 1U);
  EXPECT_THAT(read_archive(tmp / "", writer.location()).events,
              ElementsAre("10 program app", "10 enter r4100", "30 sample 1", "30 enter r7", "31 leave r7",
                          "31 leave r4100"));
}

TEST_F(RecordedEvents, EndsWithTheCallThatMadeItTooLarge) {
  const SizeLimit limit;
  LocationWriter& writer = open();
  writer.write(std::vector<Event>{enter(10, 4100), enter(20, 7), leave(30, 7), enter(40, 7)}, 0);
  EXPECT_EQ(time_of_limit(), 30u);
  writer.write(std::vector<Event>{leave(50, 7), leave(60, 4100)}, 0);
  close();
  EXPECT_THAT(
      read_archive(tmp / "", writer.location()).events,
      ElementsAre("10 program app", "10 enter r4100", "20 enter r7", "30 leave r7", "30 leave r4100"));
}

// 2 MiB fit; events for 20 times as much follow.
TEST_F(RecordedEvents, CanBeReadAfterTheDiskWasFull) {
  LocationWriter& writer = open();
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{2 * 1024 * 1024, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const QuietSection quiet;
  std::uint64_t written = 0;
  for (bool room = true; room && written < 2'000'000; written += room ? 2 : writer.converted()) {
    room = writer.write(std::vector<Event>{enter(written + 1, 7), leave(written + 2, 7)});
  }
  const Definitions definitions = close();
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_FALSE(writer.whole());
  const Read read = read_archive(tmp / "", writer.location());
  ASSERT_GT(read.events.size(), 100'000U);
  EXPECT_EQ(read.events.size(), writer.events());
  EXPECT_EQ(writer.lost_events(), written + 1 - writer.events()) << "PROGRAM_BEGIN counts";
  EXPECT_THAT(last_error(), ::testing::StartsWith("File too large: "));
  EXPECT_EQ(read.events[0], "1 program app");
  EXPECT_EQ(read.events[1], "1 enter r7");
}

TEST_F(RecordedEvents, GoOnWhereTheDiskWasFull) {
  constexpr std::uint64_t kEvents = 200'000;
  LocationWriter& writer = open();
  std::vector<Event> events;
  for (std::uint64_t time = 1; time <= kEvents; time += 2) {
    events.push_back(enter(time, 7));
    events.push_back(leave(time + 1, 7));
  }
  {
    const QuietSection quiet;
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit{1024 * 1024, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    EXPECT_FALSE(writer.write(events));
    EXPECT_GT(writer.converted(), 50'000U);
    EXPECT_FALSE(writer.write(events));
    ::setrlimit(RLIMIT_FSIZE, &before);
  }
  EXPECT_TRUE(writer.write(events));
  close();
  EXPECT_TRUE(writer.whole());
  EXPECT_EQ(writer.lost_events(), 0U);
  const Read read = read_archive(tmp / "", writer.location());
  EXPECT_EQ(writer.events(), kEvents + 2) << "PROGRAM_BEGIN and PROGRAM_END count";
  ASSERT_EQ(read.events.size(), kEvents + 1) << "PROGRAM_BEGIN counts";
  EXPECT_EQ(read.events.back(), std::to_string(kEvents) + " leave r7");
}

}  // namespace
}  // namespace waitprof::archive
