// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/archive_events.hpp"

#include "analyzer/formats/read/event_callback.hpp"

namespace waitdiag {
namespace {

// OTF2 counts the threads of a contingent, a process. Without one, numbers are those of the run.
template <ThreadRecord::What what>
void thread(EventContext& c, Time time, Attributes attributes, OTF2_CommRef contingent,
            std::uint64_t number) {
  const std::uint64_t before = contingent == OTF2_UNDEFINED_COMM ? 0 : std::uint64_t{index(c.rank)} << 32;
  c.builder.thread(c.location, time, {what, before | number, recorded_path(c, attributes)});
}

// A lock that one thread releases and another one acquires next: our recorder writes wakes so, and counts acquisitions.
template <ThreadRecord::What what>
void lock(EventContext& c, Time time, Attributes, OTF2_Paradigm paradigm, std::uint32_t,
          std::uint32_t acquisition) {
  const std::uint64_t released = acquisition / 2, run = std::uint64_t{index(c.rank)} << 32;
  if (paradigm != OTF2_PARADIGM_PTHREAD || c.definitions.call_path_attribute == OTF2_UNDEFINED_ATTRIBUTE)
    c.builder.skipped("thread lock");
  else
    c.builder.thread(c.location, time, {what, released == 0 ? 0 : run | released, kNoCallPath});
}

}  // namespace

void set_thread_callbacks(OTF2_EvtReaderCallbacks* callbacks) {
  OTF2_EvtReaderCallbacks_SetThreadCreateCallback(callbacks, on_event<thread<ThreadRecord::What::Create>>);
  OTF2_EvtReaderCallbacks_SetThreadBeginCallback(callbacks, on_event<thread<ThreadRecord::What::Begin>>);
  OTF2_EvtReaderCallbacks_SetThreadWaitCallback(callbacks, on_event<thread<ThreadRecord::What::Wait>>);
  OTF2_EvtReaderCallbacks_SetThreadEndCallback(callbacks, on_event<thread<ThreadRecord::What::End>>);
  OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(callbacks, on_event<lock<ThreadRecord::What::Wakes>>);
  OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(callbacks, on_event<lock<ThreadRecord::What::Woken>>);
}

}  // namespace waitdiag
