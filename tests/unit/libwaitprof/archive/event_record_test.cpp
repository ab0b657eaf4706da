// Every record that the recorder writes, byte for byte as OTF2's own writer writes it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <cstdarg>
#include <cstring>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <utility>

#include "libwaitprof/trace_files/event_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace waitprof::archive {
namespace {

// Numbers of every width, and those with an encoding of a single byte.
class Numbers {
 public:
  std::uint64_t u64() {
    constexpr std::uint64_t kSpecial[] = {0, 1, 0xff, 0x100, 0xffff, 0xffffffff, UINT64_MAX - 1, UINT64_MAX};
    const std::uint64_t which = random_() % 16;
    return which < std::size(kSpecial) ? kSpecial[which] : random_() >> (random_() % 64);
  }
  std::uint32_t u32() { return static_cast<std::uint32_t>(u64()); }
  std::uint8_t u8(unsigned below) { return static_cast<std::uint8_t>(random_() % below); }

 private:
  std::mt19937_64 random_{42};
};

// One archive by OTF2, one event file by EventFile, the same records in both.
class EventRecordTest : public ::testing::Test {
 protected:
  void SetUp() override {
    OTF2_Error_RegisterCallback(
        [](void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*, std::va_list) {
          return code;  // there are no definitions, and OTF2 says so
        },
        nullptr);
    OTF2_Archive* const archive =
        OTF2_Archive_Open((tmp_ / "otf2").c_str(), "traces", OTF2_FILEMODE_WRITE, kEventChunk,
                          OTF2_UNDEFINED_UINT64, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    static constexpr OTF2_FlushCallbacks kFlush{
        [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType { return OTF2_FLUSH; },
        nullptr};
    OTF2_Archive_SetFlushCallbacks(archive, &kFlush, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    theirs_ = OTF2_Archive_GetEvtWriter(archive, 0);
    archive_ = archive;
    ASSERT_TRUE(ours_.open());
  }

  void TearDown() override { close_theirs(); }

  void close_theirs() {
    if (archive_ != nullptr) {
      OTF2_Archive_CloseEvtWriter(archive_, theirs_);
      OTF2_Archive_CloseEvtFiles(archive_);
      OTF2_Archive_Close(std::exchange(archive_, nullptr));
    }
  }

  void expect_same() {
    close_theirs();
    EXPECT_TRUE(ours_.close());
    const std::string expected = content_of(tmp_ / "otf2/traces/0.evt"), actual = content_of(tmp_ / "0.evt");
    ASSERT_FALSE(expected.empty());
    const auto differ = std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end());
    EXPECT_TRUE(expected == actual) << "at byte " << differ.first - expected.begin();
  }

  // `otf2` takes the same fields in the same order.
  template <class Otf2, class... Fields>
  void add(EventRecord type, Otf2 otf2, Fields... fields) {
    const std::uint64_t time = next_time();
    ASSERT_EQ(otf2(theirs_, nullptr, time, fields...), OTF2_SUCCESS);
    ours_.add(type, time, fields...);
  }

  // Every second record has the time of the one before.
  std::uint64_t next_time() { return time_ += n_.u8(2) == 0 ? 0 : n_.u32() / 1024; }

  Numbers n_;
  OTF2_EvtWriter* theirs_ = nullptr;
  const TemporaryDirectory tmp_;
  EventFile ours_{tmp_ / "0.evt", nullptr};

 private:
  OTF2_Archive* archive_ = nullptr;
  std::uint64_t time_ = 1;  // OTF2 stamps every record of time 0
};

TEST_F(EventRecordTest, OfCallsAndMessages) {
  for (int i = 0; i < 500; ++i) {
    add(EventRecord::Enter, OTF2_EvtWriter_Enter, n_.u32());
    add(EventRecord::Leave, OTF2_EvtWriter_Leave, n_.u32());
    add(EventRecord::MpiSend, OTF2_EvtWriter_MpiSend, n_.u32(), n_.u32(), n_.u32(), n_.u64());
    add(EventRecord::MpiRecv, OTF2_EvtWriter_MpiRecv, n_.u32(), n_.u32(), n_.u32(), n_.u64());
    add(EventRecord::MpiIsend, OTF2_EvtWriter_MpiIsend, n_.u32(), n_.u32(), n_.u32(), n_.u64(), n_.u64());
    add(EventRecord::MpiIrecv, OTF2_EvtWriter_MpiIrecv, n_.u32(), n_.u32(), n_.u32(), n_.u64(), n_.u64());
    add(EventRecord::MpiIsendComplete, OTF2_EvtWriter_MpiIsendComplete, n_.u64());
    add(EventRecord::MpiIrecvRequest, OTF2_EvtWriter_MpiIrecvRequest, n_.u64());
    add(EventRecord::MpiRequestCancelled, OTF2_EvtWriter_MpiRequestCancelled, n_.u64());
  }
  expect_same();
}

TEST_F(EventRecordTest, OfCollectives) {
  for (int i = 0; i < 500; ++i) {
    add(EventRecord::MpiCollectiveBegin, OTF2_EvtWriter_MpiCollectiveBegin);
    add(EventRecord::MpiCollectiveEnd, OTF2_EvtWriter_MpiCollectiveEnd, n_.u8(20), n_.u32(), n_.u32(),
        n_.u64(), n_.u64());
    add(EventRecord::NonBlockingCollectiveRequest, OTF2_EvtWriter_NonBlockingCollectiveRequest, n_.u64());
    add(EventRecord::NonBlockingCollectiveComplete, OTF2_EvtWriter_NonBlockingCollectiveComplete, n_.u8(20),
        n_.u32(), n_.u32(), n_.u64(), n_.u64(), n_.u64());
    add(EventRecord::CommCreate, OTF2_EvtWriter_CommCreate, n_.u32());
    add(EventRecord::CommDestroy, OTF2_EvtWriter_CommDestroy, n_.u32());
  }
  expect_same();
}

TEST_F(EventRecordTest, OfOneSidedCommunication) {
  for (int i = 0; i < 300; ++i) {
    add(EventRecord::RmaWinCreate, OTF2_EvtWriter_RmaWinCreate, n_.u32());
    add(EventRecord::RmaWinDestroy, OTF2_EvtWriter_RmaWinDestroy, n_.u32());
    add(EventRecord::RmaCollectiveBegin, OTF2_EvtWriter_RmaCollectiveBegin);
    add(EventRecord::RmaCollectiveEnd, OTF2_EvtWriter_RmaCollectiveEnd, n_.u8(20), n_.u32(), n_.u32(),
        n_.u32(), n_.u64(), n_.u64());
    add(EventRecord::RmaOpCompleteNonBlocking, OTF2_EvtWriter_RmaOpCompleteNonBlocking, n_.u32(), n_.u64());
    add(EventRecord::RmaOpCompleteRemote, OTF2_EvtWriter_RmaOpCompleteRemote, n_.u32(), n_.u64());
    add(EventRecord::RmaPut, OTF2_EvtWriter_RmaPut, n_.u32(), n_.u32(), n_.u64(), n_.u64());
    add(EventRecord::RmaGet, OTF2_EvtWriter_RmaGet, n_.u32(), n_.u32(), n_.u64(), n_.u64());
    add(EventRecord::RmaAtomic, OTF2_EvtWriter_RmaAtomic, n_.u32(), n_.u32(), n_.u8(9), n_.u64(), n_.u64(),
        n_.u64());
    add(EventRecord::RmaAcquireLock, OTF2_EvtWriter_RmaAcquireLock, n_.u32(), n_.u32(), n_.u64(), n_.u8(2));
    add(EventRecord::RmaReleaseLock, OTF2_EvtWriter_RmaReleaseLock, n_.u32(), n_.u32(), n_.u64());
    add(EventRecord::RmaGroupSync, OTF2_EvtWriter_RmaGroupSync, n_.u32(), n_.u32(), n_.u32());
  }
  expect_same();
}

TEST_F(EventRecordTest, OfTheRecordingItself) {
  for (int i = 0; i < 500; ++i) {
    add(EventRecord::MeasurementOnOff, OTF2_EvtWriter_MeasurementOnOff, n_.u8(2));
    add(EventRecord::ParameterUnsignedInt, OTF2_EvtWriter_ParameterUnsignedInt, n_.u32(), n_.u64());
    const std::uint64_t time = next_time(), end = time + n_.u32();
    OTF2_EvtWriter_BufferFlush(theirs_, nullptr, time, end);
    ours_.add(EventRecord::BufferFlush, time, Fixed64{end});
    const std::uint32_t text = n_.u32(), metric = n_.u32();
    OTF2_EvtWriter_ProgramBegin(theirs_, nullptr, time, text, 0, nullptr);
    ours_.add(EventRecord::ProgramBegin, time, text, std::uint32_t{0});
    OTF2_EvtWriter_ProgramEnd(theirs_, nullptr, time, OTF2_UNDEFINED_INT64);
    ours_.add(EventRecord::ProgramEnd, time, static_cast<std::uint64_t>(OTF2_UNDEFINED_INT64));
    const std::uint8_t kinds[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
    const std::uint64_t numbers[] = {n_.u64(), n_.u64()};
    OTF2_MetricValue values[2];
    values[0].unsigned_int = numbers[0];
    values[1].unsigned_int = numbers[1];
    OTF2_EvtWriter_Metric(theirs_, nullptr, time, metric, 2, kinds, values);
    ours_.add(EventRecord::Metric, time, metric, std::uint8_t{2}, kinds[0], numbers[0], kinds[1], numbers[1]);
  }
  expect_same();
}

TEST_F(EventRecordTest, WithAttributes) {
  OTF2_AttributeList* const list = OTF2_AttributeList_New();
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t time = next_time(), number = n_.u64();
    const std::uint32_t path = n_.u32(), text = n_.u32(), region = n_.u32();
    const std::uint8_t small = n_.u8(256);
    const EventAttribute attributes[] = {
        {0, OTF2_TYPE_CALLING_CONTEXT, path}, {300, OTF2_TYPE_UINT64, number}, {2, OTF2_TYPE_UINT8, small}};
    OTF2_AttributeList_AddCallingContextRef(list, 0, path);
    OTF2_AttributeList_AddUint64(list, 300, number);
    OTF2_AttributeList_AddUint8(list, 2, small);
    OTF2_EvtWriter_Enter(theirs_, list, time, region);
    ours_.add_with(attributes, EventRecord::Enter, time, region);
    const EventAttribute peers[] = {{3, OTF2_TYPE_STRING, text}};
    OTF2_AttributeList_AddStringRef(list, 3, text);
    OTF2_EvtWriter_Leave(theirs_, list, time, region);
    ours_.add_with(peers, EventRecord::Leave, time, region);
  }
  OTF2_AttributeList_Delete(list);
  expect_same();
}

TEST_F(EventRecordTest, NoneAtAll) {
  expect_same();
}

// Our chunks may end earlier than OTF2's, so the files differ; OTF2's reader finds the same in both
// (RecordedEvents in event_file_test.cpp). Here: each chunk is filled, states its contents, and ends in
// zeros.
TEST_F(EventRecordTest, InChunksThatCanBeReadForThemselves) {
  constexpr std::uint64_t kRecords = 100'000;
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    ours_.add(EventRecord::MpiSend, i, n_.u32(), n_.u32(), n_.u32(), n_.u64());
  }
  EXPECT_TRUE(ours_.close());
  const std::string file = content_of(tmp_ / "0.evt");
  const auto number_at = [&](std::size_t place) {
    std::uint64_t number = 0;
    std::memcpy(&number, file.data() + place, sizeof number);
    return number;
  };
  std::uint64_t next = 1;
  for (std::size_t begin = 0; begin < file.size(); begin += kEventChunk) {
    EXPECT_EQ(file.substr(begin, 2), "\3B");
    EXPECT_EQ(number_at(begin + 2), next);
    next = number_at(begin + 10) + 1;
    if (begin + kEventChunk < file.size()) {
      EXPECT_EQ(file[begin + kEventChunk - 1], '\0');
    }
  }
  EXPECT_EQ(next, kRecords + 1);
  EXPECT_EQ(file.substr(file.size() - 2), "\2\1");
}

}  // namespace
}  // namespace waitprof::archive
