// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/trace_files/event_file.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstring>

namespace waitprof::archive {
EventFile::~EventFile() {
  if (own_room_) {
    ::munmap(room_, kEventChunk);
  }
}

bool EventFile::open() noexcept {
  if (room_ == nullptr) {
    void* const memory =
        ::mmap(nullptr, kEventChunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      return false;
    }
    room_ = static_cast<std::byte*>(memory);
    own_room_ = true;
  }
  put_header();
  return true;
}

// Zeros after the records show where they end, should the process be killed. The old header is erased first
// and the new one written last: a chunk without a header does not count.
void EventFile::begin_chunk() noexcept {
  std::memset(room_, 0, event_chunk::kRecordsAt);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::memset(room_ + event_chunk::kRecordsAt, 0, kEventChunk - event_chunk::kRecordsAt);
  put_header();
}

void EventFile::put_header() noexcept {
  event_record::put_fixed(room_ + event_chunk::kFirstAt, records_ + 1);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  room_[1] = event_chunk::kByteOrder;
  room_[0] = event_chunk::kMark;
  cursor_ = room_ + event_chunk::kRecordsAt;
  end_ = room_ + kEventChunk;
  time_ = kNoTime;
}

bool EventFile::next_chunk() noexcept {
  end_chunk();
  if (!file_.append(room_, kEventChunk)) {
    return false;
  }
  begin_chunk();
  return true;
}

void EventFile::end_chunk() noexcept {
  event_record::put_fixed(room_ + event_chunk::kLastAt, records_);
  if (!created_) {
    created_ = file_.create();
  }
}

bool EventFile::close() noexcept {
  *cursor_++ = event_chunk::kEndOfFile;
  *cursor_++ = event_chunk::kEndOfBuffer;
  end_chunk();
  file_.write(room_, static_cast<std::size_t>(cursor_ - room_));
  return file_.close() && !lost_;
}

}  // namespace waitprof::archive
