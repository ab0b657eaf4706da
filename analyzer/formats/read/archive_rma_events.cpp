// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/archive_events.hpp"

#include "analyzer/formats/read/event_callback.hpp"

namespace waitdiag {
namespace {

void add_rma(EventContext& c, Time time, RmaRecord::What what, OTF2_RmaWinRef window, std::uint32_t target,
             const RmaRecord& rest) {
  // Copies to and from accelerators look like this too, but on windows that are not MPI's.
  if (c.communicators.window(window) == kNoComm) return c.builder.skipped("one-sided outside of MPI");
  RmaRecord record = rest;
  record.time = time;
  record.what = what;
  record.window = c.communicators.window(window);
  record.target = c.communicators.target(window, target, c.rank);
  c.builder.rma(c.location, record);
}

void rma_put(EventContext& c, Time time, Attributes, OTF2_RmaWinRef window, std::uint32_t target,
             std::uint64_t bytes, std::uint64_t number) {
  add_rma(c, time, RmaRecord::What::Put, window, target, {.bytes = bytes, .number = number});
}

void rma_get(EventContext& c, Time time, Attributes, OTF2_RmaWinRef window, std::uint32_t target,
             std::uint64_t bytes, std::uint64_t number) {
  add_rma(c, time, RmaRecord::What::Get, window, target, {.bytes = bytes, .number = number});
}

void rma_atomic(EventContext& c, Time time, Attributes, OTF2_RmaWinRef window, std::uint32_t target,
                OTF2_RmaAtomicType, std::uint64_t sent, std::uint64_t received, std::uint64_t number) {
  add_rma(c, time, RmaRecord::What::Atomic, window, target,
          {.bytes = sent + received, .returned = received, .number = number});
}

void rma_lock(EventContext& c, Time time, Attributes, OTF2_RmaWinRef window, std::uint32_t target,
              std::uint64_t, OTF2_LockType type) {
  add_rma(c, time, RmaRecord::What::Lock, window, target, {.exclusive = type == OTF2_LOCK_EXCLUSIVE});
}

void rma_unlock(EventContext& c, Time time, Attributes, OTF2_RmaWinRef window, std::uint32_t target,
                std::uint64_t) {
  add_rma(c, time, RmaRecord::What::Unlock, window, target, {});
}

void rma_complete(EventContext& c, Time time, Attributes, OTF2_RmaWinRef window, std::uint64_t number) {
  add_rma(c, time, RmaRecord::What::Flush, window, OTF2_UNDEFINED_UINT32, {.number = number});
}

void rma_complete_here(EventContext& c, Time time, Attributes, OTF2_RmaWinRef window, std::uint64_t number) {
  add_rma(c, time, RmaRecord::What::Done, window, OTF2_UNDEFINED_UINT32, {.number = number});
}

void rma_group_sync(EventContext& c, Time time, Attributes, OTF2_RmaSyncLevel, OTF2_RmaWinRef window,
                    OTF2_GroupRef group) {
  c.builder.rma_group_sync(c.location, time, c.communicators.window(window), c.communicators.group(group));
}

}  // namespace

void set_one_sided_callbacks(OTF2_EvtReaderCallbacks* callbacks) {
  OTF2_EvtReaderCallbacks_SetRmaPutCallback(callbacks, on_event<rma_put>);
  OTF2_EvtReaderCallbacks_SetRmaGetCallback(callbacks, on_event<rma_get>);
  OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(callbacks, on_event<rma_atomic>);
  OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(callbacks, on_event<rma_lock>);
  OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(callbacks, on_event<rma_unlock>);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(callbacks, on_event<rma_complete_here>);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(callbacks, on_event<rma_complete_here>);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(callbacks, on_event<rma_complete>);
  OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(callbacks, on_event<rma_group_sync>);
}

}  // namespace waitdiag
