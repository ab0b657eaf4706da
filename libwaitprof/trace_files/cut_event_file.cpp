// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/trace_files/cut_event_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "libwaitprof/trace_files/event_file.hpp"

namespace waitprof::archive {
namespace {

constexpr off_t kChunk = static_cast<off_t>(kEventChunk);

// A chunk without events, and the end.
struct __attribute__((packed)) LastChunk {
  std::byte mark = event_chunk::kMark, byte_order = event_chunk::kByteOrder;
  std::uint64_t first_event, last_event;
  std::byte end_of_file = event_chunk::kEndOfFile, end_of_buffer = event_chunk::kEndOfBuffer;
};

std::uint64_t events_in(int file, off_t chunks) noexcept {
  std::uint64_t events = 0;
  const bool known =
      chunks > 0 && ::pread(file, &events, sizeof events,
                            (chunks - 1) * kChunk + static_cast<off_t>(event_chunk::kLastAt)) ==
                        static_cast<ssize_t>(sizeof events);
  return known ? events : 0;
}

bool end_after(int file, off_t chunks) noexcept {
  const std::uint64_t events = events_in(file, chunks);
  LastChunk last{};
  last.first_event = events + 1;
  last.last_event = events;
  return ::ftruncate(file, chunks * kChunk) == 0 &&
         ::pwrite(file, &last, sizeof last, chunks * kChunk) == static_cast<ssize_t>(sizeof last);
}

}  // namespace

std::uint64_t end_cut_event_file(const std::string& path) noexcept {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) {
    return 0;
  }
  off_t chunks = ::lseek(file, 0, SEEK_END) / kChunk;
  if (!end_after(file, chunks) && chunks > 0) {
    --chunks;
    end_after(file, chunks);
  }
  const std::uint64_t events = events_in(file, chunks);
  ::close(file);
  return events;
}

}  // namespace waitprof::archive
