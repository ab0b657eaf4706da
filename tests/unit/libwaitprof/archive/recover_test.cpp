// Programs killed at chosen moments, and the archive that is made of what they left.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/recover/recover_archive.hpp"

#include <gmock/gmock.h>
#include <otf2/otf2.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/definitions/blob.hpp"
#include "libwaitprof/records/local_ids.hpp"
#include "libwaitprof/records/location_writer.hpp"
#include "libwaitprof/schema/file_checks.hpp"
#include "libwaitprof/schema/schema.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"
#include "tests/support/temporary_directory.hpp"

// The memory of a killed program is never freed, which is not a leak here.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define WAITPROF_NEVER_FREED const __lsan::ScopedDisabler never_freed
#endif
#endif
#ifndef WAITPROF_NEVER_FREED
#define WAITPROF_NEVER_FREED
#endif

namespace waitprof::archive {
namespace {

constexpr std::uint32_t kCapacity = 1U << 17;

// The files of one thread as the recorder keeps them, in memory; `kill` writes them.
std::vector<std::byte> event_file(crash_safe::kEventsOffset + kCapacity * sizeof(Event));

class KilledProgram {
 public:
  explicit KilledProgram(std::string directory) : directory_(std::move(directory)) {
    std::filesystem::create_directories(directory_ + "/unfinished");
    std::fill(event_file.begin(), event_file.end(), std::byte{});
    thread_.area = new (event_file.data()) crash_safe::EventArea;
    thread_.area->capacity = kCapacity;
    thread_.begin = thread_.cursor = reinterpret_cast<Event*>(event_file.data() + crash_safe::kEventsOffset);
    thread_.end = thread_.begin + kCapacity - 1;
    start();
  }

  void record(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t time = from; time < to; ++time) {
      Event event = event_at(time % 2 == 1 ? EventType::Enter : EventType::Leave, time);
      event.u.region = {time % 20 < 10 ? 0U : 4096U, 0};
      append(thread_, event);
    }
  }

  // The same, two times a call: each is recorded as the first one once more.
  void record_repeated(std::uint64_t from, std::uint64_t to) {
    const Event* const first = thread_.cursor;
    record(from, from + 2);
    for (std::uint64_t time = from + 2; time < to; time += 2) {
      Event event = event_at(EventType::Repeat, time);
      const auto distance = static_cast<std::uint32_t>(thread_.cursor - first);
      event.u.repeat = {first->u.region.region, 0, 1, distance, 0};
      append(thread_, event);
    }
  }

  // Converts the first events of the buffer: all of them are a flush, fewer are a flush interrupted by the
  // kill.
  void convert(std::size_t count) {
    WAITPROF_NEVER_FREED;
    const std::span<const Event> events(thread_.begin, thread_.cursor);
    writer_->write(events.first(count));
    if (count == events.size()) {
      cut_events(thread_, thread_.begin);
      writer_->forget_written();
    }
  }

  void kill() {
    end();
    leave();
  }

  void end() {
    journal(RecordKind::Ended, crash_safe::EndRecord{1'000'000, crash_safe::EndKind::Abort, 3});
    stop_journal();
    session.otf2 = nullptr;
  }

  void leave() const {
    write("0.journal", journal_);
    write("0.0.events", event_file);
  }

  // Changes a few bytes at the beginning of both files, where the data that steers a reader is.
  void damage(std::mt19937& random) {
    for (int hit = 0; hit < 20; ++hit) {
      journal_[random() % 400] = static_cast<std::byte>(random());
      event_file[random() % (crash_safe::kEventsOffset + 4096)] = static_cast<std::byte>(random());
    }
  }

  void be_of_another_version() {
    crash_safe::JournalHeader header;
    std::memcpy(&header, journal_.data(), sizeof header);
    ++header.version;
    std::memcpy(journal_.data(), &header, sizeof header);
  }

  ThreadState& thread() { return thread_; }

 private:
  void start() {
    WAITPROF_NEVER_FREED;
    static LocalIds ids;
    use_local_ids(ids);
    const auto* const mark = new (journal_.data()) crash_safe::JournalHeader;
    start_journal(journal_.data(), journal_.size(), journal_.size(), "");
    ProcessStart process;
    process.rank.process = 4711;
    process.rank.host = "host";
    process.program = "app";
    process.world_size = 2;
    process.recording.mpi = "MPI 1";
    journal(RecordKind::Process, to_blob(process));
    journal(RecordKind::Calls, std::as_bytes(std::span("\0MPI_One\0\0MPI_Two", 18)));
    journal(RecordKind::UserRegion, crash_safe::UserRegionRecord{0, 4096, 0}, "user");
    ASSERT_EQ(mark->mark, crash_safe::kJournalMark);
    ASSERT_TRUE(open_session(directory_, true)) << last_error();
    writer_ = LocationWriter::open(directory_, 0, 0, thread_.area);
  }

  void write(const std::string& name, std::span<const std::byte> bytes) const {
    write_file(directory_ + "/unfinished/" + name,
               {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  std::string directory_;
  std::vector<std::byte> journal_ = std::vector<std::byte>(1U << 20);
  ThreadState thread_;
  LocationWriter* writer_ = nullptr;
};

// Times of the Enter and Leave events of rank 0 in order, and the time it was last seen.
struct Seen {
  std::vector<std::uint64_t> times;
  std::uint64_t last_seen = 0;
};

Seen read(const std::string& directory) {
  Seen seen;
  OTF2_Reader* const reader = OTF2_Reader_Open((directory + "/traces.otf2").c_str());
  if (reader == nullptr) {
    return seen;
  }
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_Reader_SelectLocation(reader, 0);
  OTF2_Reader_OpenEvtFiles(reader);
  OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader, 0);
  OTF2_EvtReaderCallbacks* const callbacks = OTF2_EvtReaderCallbacks_New();
  constexpr auto kNote = [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                            OTF2_AttributeList*, OTF2_RegionRef) -> OTF2_CallbackCode {
    static_cast<Seen*>(data)->times.push_back(time);
    return OTF2_CALLBACK_SUCCESS;
  };
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, kNote);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, kNote);
  OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(
      callbacks,
      [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, OTF2_AttributeList*,
         OTF2_ParameterRef, std::uint64_t) -> OTF2_CallbackCode {
        static_cast<Seen*>(data)->last_seen = time;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &seen);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  std::uint64_t count = 0;
  OTF2_Reader_ReadAllLocalEvents(reader, events, &count);
  OTF2_Reader_Close(reader);
  return seen;
}

std::vector<std::uint64_t> counting(std::uint64_t to) {
  std::vector<std::uint64_t> numbers(to - 1);
  for (std::uint64_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = i + 1;
  }
  return numbers;
}

std::string property(const std::string& directory, const char* name) {
  std::string text;
  OTF2_Reader* const reader = OTF2_Reader_Open((directory + "/traces.otf2").c_str());
  char* value = nullptr;
  if (reader != nullptr && OTF2_Reader_GetProperty(reader, name, &value) == OTF2_SUCCESS) {
    text = value;
    std::free(value);
  }
  OTF2_Reader_Close(reader);
  return text;
}

class Recover : public ::testing::Test {
 protected:
  const TemporaryDirectory tmp;
  const std::string directory = tmp / "archive";
};

TEST_F(Recover, WhatNeverLeftTheBuffer) {
  KilledProgram program(directory);
  program.record(1, 1000);
  program.kill();
  ASSERT_TRUE(is_unfinished(directory));
  const Recovery recovery = recover_archive({directory});
  EXPECT_FALSE(is_unfinished(directory));
  EXPECT_EQ(recovery.ranks, 1U);
  EXPECT_EQ(recovery.world_size, 2U);
  EXPECT_EQ(recovery.events, 999U + 2) << "PROGRAM_BEGIN and the last sign of life count";
  EXPECT_EQ(read(directory).times, counting(1000));
  EXPECT_EQ(read(directory).last_seen, 1'000'000U);
  EXPECT_FALSE(std::filesystem::exists(directory + "/unfinished"));
  EXPECT_EQ(property(directory, "WAITPROF::FILE_CHECKS_0"), schema::global_checks(directory) +
                                                                schema::location_checks(directory, 0) +
                                                                schema::location_checks(directory, 1));
}

// A chunk of OTF2 holds some 20 000 events: none, one and several of them are in the file.
TEST_F(Recover, WhatWasFlushedInPartOrInWhole) {
  for (const std::size_t converted : {1U, 50U, 30'000U, 90'000U, 100'000U}) {
    KilledProgram program(tmp / std::to_string(converted));
    program.record(1, 100'001);
    program.convert(converted);
    if (converted == 100'000U) {
      program.record(100'001, 100'301);
    }
    program.kill();
    recover_archive({tmp / std::to_string(converted)});
    EXPECT_EQ(read(tmp / std::to_string(converted)).times,
              counting(converted == 100'000U ? 100'301 : 100'001))
        << converted << " events converted";
  }
}

TEST_F(Recover, CallsThatAreRepeated) {
  for (const std::size_t converted : {0U, 1U, 2U, 3U, 700U, 20'000U}) {
    KilledProgram program(tmp / std::to_string(converted));
    program.record_repeated(1, 100'001);
    program.convert(converted);
    program.kill();
    recover_archive({tmp / std::to_string(converted)});
    EXPECT_EQ(read(tmp / std::to_string(converted)).times, counting(100'001)) << converted;
  }
}

// The kill came after events were converted and before that was stored; the last of them are in the second chunk.
TEST_F(Recover, EventsThatAreInBothPartsCountOnce) {
  constexpr std::uint64_t kConverted = 22'830, kTold = kConverted - 63;
  KilledProgram program(directory);
  program.record(1, 25'001);
  program.convert(kConverted);
  std::uint64_t first_of_chunk = 0;
  std::memcpy(&first_of_chunk, event_file.data() + crash_safe::kChunkOffset + event_chunk::kFirstAt,
              sizeof first_of_chunk);
  ASSERT_GT(first_of_chunk, kTold);
  ASSERT_LT(first_of_chunk, kConverted);
  crash_safe::EventArea& area = *program.thread().area;
  area.progress -= (kConverted - kTold) | (kConverted - kTold) << 32;
  area.last_time = kTold;
  program.kill();
  recover_archive({directory});
  EXPECT_EQ(read(directory).times, counting(25'001));
}

TEST_F(Recover, WhatWasLeftOutIsCounted) {
  KilledProgram program(directory);
  program.record(1, 1001);
  program.thread().left_out = {.dropped_events = 1,
                               .dropped_samples = 2,
                               .filtered_regions = 3,
                               .untracked = 4,
                               .failed_polls = 5,
                               .path_walks_ns = 6,
                               .upkeep_ns = 10,
                               .lost_handles = 8,
                               .unsampled_threads = 7,
                               .lost_switches = 9,
                               .untimed_operators = 10,
                               .cut_short_calls = 11};
  tell_left_out(program.thread());
  program.thread().left_out.failed_polls = 6;  // not stored before the kill
  program.kill();
  recover_archive({directory});
  EXPECT_EQ(property(directory, schema::kDroppedEvents), "1");
  EXPECT_EQ(property(directory, schema::kDroppedSamples), "2");
  EXPECT_EQ(property(directory, schema::kUntracked), "4");
  EXPECT_EQ(property(directory, schema::kFailedPolls), "5");
  EXPECT_EQ(property(directory, schema::kUnsampledThreads), "7");
  EXPECT_EQ(property(directory, schema::kLostHandles), "8");
  EXPECT_EQ(property(directory, schema::kLostSwitches), "9");
  EXPECT_EQ(property(directory, schema::kUntimedOperators), "10");
}

TEST_F(Recover, ARowOfPollsThatTheKillCameIntoIsACall) {
  const auto times_with = [this](crash_safe::OpenRow row, std::uint64_t last_seen) {
    std::filesystem::remove_all(directory);
    KilledProgram program(directory);
    program.record(1, 10);
    program.thread().area->open_row = row;
    program.thread().area->last_seen = last_seen;
    program.kill();
    recover_archive({directory});
    std::vector<std::uint64_t> times = read(directory).times;
    times.erase(times.begin(), std::find(times.begin(), times.end(), 9) + 1);
    return times;
  };
  using Times = std::vector<std::uint64_t>;
  constexpr std::uint64_t kLate = 100'000'000;
  EXPECT_EQ(times_with({.first = 20, .judged = 900'000, .polls = 5}, 950'000), (Times{20})) << "never left";
  EXPECT_EQ(times_with({.first = 20, .judged = 900'000, .polls = 5}, kLate), (Times{20, 900'000}));
  EXPECT_EQ(times_with({.first = 9, .judged = 900'000, .polls = 5}, kLate), Times{}) << "it was over";
  EXPECT_EQ(times_with({.first = 20, .judged = 900'000}, kLate), Times{}) << "there was none";
}

TEST_F(Recover, IntoAnotherDirectoryAndAgain) {
  KilledProgram program(directory);
  program.record(1, 100);
  program.kill();
  std::filesystem::create_directories(directory +
                                      "/unfinished/recovered/traces");  // an attempt that was killed
  EXPECT_EQ(recover_archive({directory}, tmp / "other").ranks, 1U);
  EXPECT_TRUE(is_unfinished(directory));
  recover_archive({directory});
  EXPECT_EQ(content_of(tmp / "other/traces/0.evt"), content_of(directory + "/traces/0.evt"));
}

TEST_F(Recover, WhatTheJournalSaysOfClocksAndOtherJobs) {
  KilledProgram program(directory);
  program.record(1, 1000);
  journal(RecordKind::ClockCompared, crash_safe::ClockRecord{500, 7, 3});
  journal(RecordKind::OtherProcesses, crash_safe::OtherProcessesRecord{2, 0});
  journal(RecordKind::OtherProcesses, crash_safe::OtherProcessesRecord{5, 1});
  program.kill();
  recover_archive({directory});
  EXPECT_EQ(property(directory, schema::kClockError), "3");
  EXPECT_EQ(property(directory, schema::kSpawnedProcesses), "5");
  EXPECT_EQ(property(directory, schema::kConnectedProcesses), "1");
  EXPECT_EQ(property(directory, schema::kParentProcesses), "");
}

TEST_F(Recover, NothingIsSaid) {
  std::filesystem::create_directories(directory + "/unfinished");
  EXPECT_THROW(recover_archive({directory}), std::runtime_error);
  EXPECT_FALSE(is_unfinished(tmp / "no such directory"));
}

TEST_F(Recover, AnotherBuildIsNamedAsTheReason) {
  KilledProgram program(directory);
  program.record(1, 1000);
  program.end();
  program.be_of_another_version();
  program.leave();
  try {
    recover_archive({directory});
    FAIL() << "it was recovered";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("another build of WaitProf left it"), std::string::npos)
        << error.what();
  }
}

// Whatever is in the files, the result is an archive or an error, and never an endless loop.
TEST_F(Recover, DamagedFiles) {
  std::mt19937 random(1);
  for (int round = 0; round < 10; ++round) {
    const std::string here = tmp / std::to_string(round);
    KilledProgram program(here);
    program.record(1, 30'000);
    program.convert(25'000);
    program.end();
    program.damage(random);
    program.leave();
    try {
      recover_archive({here});
    } catch (const std::runtime_error&) {
    }
  }
}

}  // namespace
}  // namespace waitprof::archive
