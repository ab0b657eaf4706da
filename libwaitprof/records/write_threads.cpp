// Threads that the program starts and joins -> OTF2's records of them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <span>

#include "libwaitprof/records/location_writer.hpp"

namespace waitprof::archive {
namespace {

constexpr EventRecord record_of(EventType type) {
  switch (type) {
    case EventType::ThreadCreate:
      return EventRecord::ThreadCreate;
    case EventType::ThreadBegin:
      return EventRecord::ThreadBegin;
    case EventType::ThreadWait:
      return EventRecord::ThreadWait;
    default:
      return EventRecord::ThreadEnd;
  }
}

}  // namespace

// OTF2 counts the threads of a contingent. There is none here, so that numbers are those of one job.
void LocationWriter::write_thread(const Event& event) {
  const ThreadData& thread = event.u.thread;
  const std::uint64_t number = (location_ & UINT32_MAX) << 32 | thread.number;
  const OTF2_CommRef contingent = OTF2_UNDEFINED_COMM;
  const EventAttribute begins[] = {path_attribute(thread.call_path)};
  const bool known = thread.call_path != kNoCallPathId;
  file_.add_with(std::span(begins).first(known ? 1 : 0), record_of(event.type), in_order(event.time),
                 contingent, number);
}

// As if a lock were handed over: the waker releases it, the thread that it wakes acquires it next. OTF2 numbers
// acquisitions; those of one lock are even for wakers.
void LocationWriter::write_wake(const Event& event) {
  const bool wakes = event.type == EventType::ThreadWakes;
  constexpr std::uint32_t kLock = 0;
  const auto order = static_cast<std::uint32_t>(2 * event.u.thread.number + (wakes ? 0 : 1));
  file_.add(wakes ? EventRecord::ThreadReleaseLock : EventRecord::ThreadAcquireLock, in_order(event.time),
            std::uint8_t{OTF2_PARADIGM_PTHREAD}, kLock, order);
}

}  // namespace waitprof::archive
