// How fast an OTF2 archive becomes a Trace (events per second, of one core) and how much memory an operation
// takes at rest.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "analyzer/read/read.hpp"
#include "libwaitprof/schema/schema.hpp"
#include "tests/support/archive_writer.hpp"

namespace waitdiag {
namespace {

namespace schema = waitprof::schema;
using testing::ArchiveWriter;

// Two ranks exchanging messages; computation between the calls is instrumented (as Score-P does) or not (as
// our recorder does: every call carries its call path).
enum class Style : std::uint8_t { Instrumented, Unwound };
constexpr std::uint64_t kCalls = 100'000;  // of each rank

class Exchange {
 public:
  Exchange(ArchiveWriter& archive, Style style) : archive_(archive), style_(style) {
    archive.define([this](OTF2_GlobalDefWriter* writer) {
      OTF2_GlobalDefWriter_WriteAttribute(writer, 0, archive_.string(schema::kCallPathAttribute),
                                          archive_.string(""), OTF2_TYPE_CALLING_CONTEXT);
      for (OTF2_CallingContextRef i = 0; i < 20; ++i) {
        OTF2_GlobalDefWriter_WriteCallingContext(writer, i, solve_, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                                 i == 0 ? OTF2_UNDEFINED_CALLING_CONTEXT : i - 1);
      }
    });
  }
  ~Exchange() { OTF2_AttributeList_Delete(attributes_); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void record() {
    for (std::uint64_t call = 0; call < kCalls; ++call) {
      for (const std::uint32_t rank : {0u, 1u}) message(rank, 1'000 * call, call % 2 == rank);
    }
    archive_.close();
  }

 private:
  void message(std::uint32_t rank, std::uint64_t time, bool sends) {
    OTF2_AttributeList* attributes = nullptr;
    if (style_ == Style::Instrumented) {
      archive_.enter(rank, time, solve_);
      archive_.leave(rank, time + 500, solve_);
    } else {
      attributes = attributes_;
      OTF2_AttributeList_AddCallingContextRef(attributes, 0,
                                              static_cast<OTF2_CallingContextRef>(time / 1'000 % 20));
    }
    archive_.enter(rank, time + 510, sends ? send_ : recv_, attributes);
    if (sends) {
      OTF2_EvtWriter_MpiSend(archive_.events(rank), nullptr, time + 520, 1 - rank, 0, 7, 8);
    } else {
      OTF2_EvtWriter_MpiRecv(archive_.events(rank), nullptr, time + 590, 1 - rank, 0, 7, 8);
    }
    archive_.leave(rank, time + 600, sends ? send_ : recv_);
  }

  ArchiveWriter& archive_;
  Style style_;
  OTF2_RegionRef solve_ = archive_.function("solve"), send_ = archive_.mpi("MPI_Send"),
                 recv_ = archive_.mpi("MPI_Recv");
  OTF2_AttributeList* attributes_ = OTF2_AttributeList_New();
};

std::size_t bytes_in_use() {
  ::malloc_trim(0);
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

void read_events(benchmark::State& state, Style style) {
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / ("read_bench_" + std::to_string(::getpid()));
  std::filesystem::remove_all(directory);
  {
    ArchiveWriter archive(directory, 2);
    Exchange(archive, style).record();
  }
  std::uint64_t events = 0;
  for (auto _ : state) events += read_archive(directory).facts().events;
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
  const std::size_t before = bytes_in_use();
  const Trace trace = read_archive(directory);
  state.counters["bytes/operation"] = static_cast<double>(bytes_in_use() - before) / (2.0 * kCalls);
  std::filesystem::remove_all(directory);
}

BENCHMARK_CAPTURE(read_events, instrumented, Style::Instrumented)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_events, unwound, Style::Unwound)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace waitdiag
