// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/write/one_sided_events.hpp"

#include "analyzer/formats/read/collective_ops.hpp"

namespace waitdiag {
namespace {

constexpr OTF2_RmaSyncLevel kWindowSync = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;

CollectiveKind handle_kind(CollectiveKind kind) {
  if (kind == CollectiveKind::WinCreate) return CollectiveKind::CreateHandle;
  return kind == CollectiveKind::WinFree ? CollectiveKind::DestroyHandle : CollectiveKind::Barrier;
}

}  // namespace

OneSidedUse::OneSidedUse(const Trace& trace)
    : window(trace.communicators().size(), false),
      plain(trace.communicators().size(), false),
      group(trace.peer_lists().size(), false) {
  const auto mark = [](std::vector<bool>& used, auto id, auto none) {
    if (id != none) used[index(id)] = true;
  };
  for (const Timeline& timeline : trace.timelines()) {
    for (const MessageEnd& end : timeline.sends()) mark(plain, end.comm, kNoComm);
    for (const MessageEnd& end : timeline.receives()) mark(plain, end.comm, kNoComm);
    for (const CollectivePart& part : timeline.collectives())
      mark(is_of_window(part.kind) ? window : plain, part.comm, kNoComm);
    for (const RmaRecord& record : timeline.rma()) {
      mark(window, record.window, kNoComm);
      mark(group, record.group, kNoPeerList);
    }
  }
  for (const Communicator& comm : trace.communicators()) mark(plain, comm.parent, kNoComm);
}

bool OneSidedUse::is_window_alone(const Trace& trace, CommId id) const {
  const Communicator& comm = trace.communicator(id);
  return window[index(id)] && !plain[index(id)] && comm.parent != kNoComm &&
         trace.communicator(comm.parent).members == comm.members;
}

void write_one_sided(OTF2_EvtWriter* writer, OTF2_TimeStamp now, const RmaRecord& record,
                     std::uint32_t target, ArchiveIds& ids) {
  const auto window = static_cast<OTF2_RmaWinRef>(index(record.window));
  using enum RmaRecord::What;
  switch (record.what) {
    case Put:
      return ids.check(
          OTF2_EvtWriter_RmaPut(writer, nullptr, now, window, target, record.bytes, record.number));
    case Get:
      return ids.check(
          OTF2_EvtWriter_RmaGet(writer, nullptr, now, window, target, record.bytes, record.number));
    case Atomic:
      return ids.check(OTF2_EvtWriter_RmaAtomic(
          writer, nullptr, now, window, target,
          record.returned == 0 ? OTF2_RMA_ATOMIC_TYPE_ACCUMULATE : OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE,
          record.bytes - record.returned, record.returned, record.number));
    case Lock:
      return ids.check(
          OTF2_EvtWriter_RmaAcquireLock(writer, nullptr, now, window, target, 0,
                                        record.exclusive ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED));
    case Unlock:
      return ids.check(OTF2_EvtWriter_RmaReleaseLock(writer, nullptr, now, window, target, 0));
    case Flush:
      return ids.check(OTF2_EvtWriter_RmaOpCompleteRemote(writer, nullptr, now, window, record.number));
    case Done:
      return ids.check(OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, nullptr, now, window, record.number));
    case Start:
    case Complete:
    case Post:
    case Wait:
      break;  // the call tells which of them
  }
  const auto group = ids.groups.find(record.group);
  ids.check(OTF2_EvtWriter_RmaGroupSync(writer, nullptr, now, kWindowSync, window,
                                        group == ids.groups.end() ? OTF2_UNDEFINED_GROUP : group->second));
}

void write_window_collective(OTF2_EvtWriter* writer, OTF2_TimeStamp now, const CollectivePart& part,
                             ArchiveIds& ids) {
  ids.check(OTF2_EvtWriter_RmaCollectiveEnd(writer, nullptr, now, collective_op(handle_kind(part.kind)),
                                            kWindowSync, static_cast<OTF2_RmaWinRef>(index(part.comm)),
                                            static_cast<std::uint32_t>(OTF2_COLLECTIVE_ROOT_NONE), part.sent,
                                            part.received));
}

}  // namespace waitdiag
