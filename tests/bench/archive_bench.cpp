// What an event costs on its way from the buffer to the file: nanoseconds (including the write) and bytes,
// for the calls that typical loops make; each with and without the call path attribute on every MPI ENTER.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "libwaitprof/records/location_writer.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"
#include "tests/support/temporary_directory.hpp"

namespace waitprof::archive {
namespace {

// One archive for the whole program, removed when it ends.
class Archive {
 public:
  Archive() { opened_ = open_session(directory_.path(), true); }

  LocationWriter* next_location() {
    return opened_ ? LocationWriter::open(directory_.path(), 0, next_thread_++) : nullptr;
  }
  std::uint64_t finish(LocationWriter& writer) const {
    const std::string file = directory_ / ("traces/" + std::to_string(writer.location()) + ".evt");
    writer.finish();
    const std::uint64_t bytes = std::filesystem::file_size(file);
    std::filesystem::remove(file);
    return bytes;
  }

 private:
  TemporaryDirectory directory_;
  bool opened_ = false;
  std::uint32_t next_thread_ = 1;
};

Event at(std::uint64_t time, EventType type, Event::Payload payload) {
  Event event = event_at(type, time);
  event.u = payload;
  return event;
}

using Call = void (*)(std::vector<Event>&, std::uint64_t time, std::uint32_t call_path);

constexpr std::uint64_t kCallLength = 700;

void send(std::vector<Event>& events, std::uint64_t time, std::uint32_t call_path) {
  events.push_back(at(time, EventType::Enter, {.region = {300, call_path}}));
  events.push_back(at(time, EventType::Send, {.message = {1024, 3, 17, kWorldComm, 0}}));
  events.push_back(at(time + kCallLength, EventType::Leave, {.region = {300, 0}}));
}

void allreduce(std::vector<Event>& events, std::uint64_t time, std::uint32_t call_path) {
  CollectiveData collective{8, 8, kWorldComm, static_cast<std::uint32_t>(CollectiveOp::Allreduce), kNoRoot};
  events.push_back(at(time, EventType::Enter, {.region = {301, call_path}}));
  events.push_back(at(time, EventType::CollectiveBegin, {}));
  events.push_back(at(time + kCallLength, EventType::CollectiveEnd, {.collective = collective}));
  events.push_back(at(time + kCallLength, EventType::Leave, {.region = {301, 0}}));
}

// Converts one event buffer of WAITPROF_BUFFER_MIB=1 after another.
void convert(benchmark::State& state, Call call, std::uint32_t call_path) {
  static Archive archive;
  LocationWriter* writer = archive.next_location();
  if (writer == nullptr) {
    return state.SkipWithError("no archive");
  }
  constexpr std::size_t kBuffer = (1 << 20) / sizeof(Event);
  std::vector<Event> buffer;
  std::uint64_t time = 1, calls = 0, events = 0;
  for (auto _ : state) {
    state.PauseTiming();
    buffer.clear();
    for (; buffer.size() + 4 <= kBuffer; ++calls, time += 2 * kCallLength) {
      call(buffer, time, call_path == 0 ? 0 : call_path + static_cast<std::uint32_t>(calls % 50));
    }
    events += buffer.size();
    state.ResumeTiming();
    writer->write(buffer);
  }
  const auto bytes = static_cast<double>(archive.finish(*writer));
  using benchmark::Counter;
  state.counters["time/event"] = Counter(static_cast<double>(events), Counter::kIsRate | Counter::kInvert);
  state.counters["time/call"] = Counter(static_cast<double>(calls), Counter::kIsRate | Counter::kInvert);
  state.counters["B/event"] = bytes / static_cast<double>(events);
  state.counters["B/call"] = bytes / static_cast<double>(calls);
}

BENCHMARK_CAPTURE(convert, send_with_call_path, send, 1);
BENCHMARK_CAPTURE(convert, send_without_call_path, send, 0);
BENCHMARK_CAPTURE(convert, allreduce_with_call_path, allreduce, 1);
BENCHMARK_CAPTURE(convert, allreduce_without_call_path, allreduce, 0);

}  // namespace
}  // namespace waitprof::archive
