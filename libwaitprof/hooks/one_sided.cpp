// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/one_sided.hpp"

#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/handles/requests.hpp"
#include "libwaitprof/hooks/nonblocking.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"

namespace waitprof::hooks {

namespace {

template <typename Detail>
RmaData about(std::uint32_t window, Detail detail, std::int32_t target = kAllTargets, std::uint64_t sent = 0,
              std::uint64_t received = 0) noexcept {
  return {sent, received, target, window & 0xffffffU, static_cast<std::uint32_t>(detail) & 0xffU};
}

void begin_collective(RecordedCall& call, std::uint32_t window) noexcept {
  call.add_rma(EventType::RmaCollectiveBegin, call.entered(), about(window, 0));
}
void end_collective(RecordedCall& call, std::uint32_t window, CollectiveOp op) noexcept {
  call.add_rma(EventType::RmaCollectiveEnd, call.left(), about(window, op));
}

}  // namespace

void WinConstructor::after(RecordedCall& call) const noexcept {
  const std::uint32_t id = add_window(*win, communicator_of(comm), allocates);
  if (id != kUnknownWindow) {
    begin_collective(call, id);
    call.add_rma(EventType::RmaWinCreate, call.left(), about(id, 0));
    end_collective(call, id, allocates ? CollectiveOp::CreateHandleAndAllocate : CollectiveOp::CreateHandle);
  }
}

void WinFree::before(const RecordedCall&) noexcept {
  handle = win != nullptr ? *win : MPI_WIN_NULL;
}

void WinFree::after(RecordedCall& call) const noexcept {
  const std::uint32_t id = window_of(handle);
  if (id != kUnknownWindow) {
    forget_window(handle);
    begin_collective(call, id);
    call.add_rma(EventType::RmaWinDestroy, call.left(), about(id, 0));
    end_collective(call, id,
                   window(id).allocated ? CollectiveOp::DestroyHandleAndFree : CollectiveOp::DestroyHandle);
  }
}

void WinSetName::after(const RecordedCall&) const noexcept {
  name_window(window_of(win), name);
}

void WinFence::after(RecordedCall& call) const noexcept {
  const std::uint32_t id = window_of(win);
  if (id != kUnknownWindow) {
    begin_collective(call, id);
    end_collective(call, id, CollectiveOp::Barrier);
  }
}

void RmaAccess::after(RecordedCall& call) const noexcept {
  const std::uint32_t id = window_of(win);
  if (id == kUnknownWindow || target == MPI_PROC_NULL) {
    return;
  }
  // MPI_NO_OP allows any count and type (MPI 4.0, 12.3.4).
  const std::uint64_t given = op == MPI_NO_OP ? 0 : bytes_of(count, datatype);
  const bool returns = operation == Get || operation == FetchAndOp || operation == CompareAndSwap;
  const std::uint64_t sent = operation == Get ? 0 : given;
  const std::uint64_t received =
      operation == GetAccumulate ? bytes_of(resultcount, resulttype) : (returns ? given : 0);
  if (request != nullptr) {
    start_and_remember(call, *request, [&](PendingRequest& pending) {
      pending.address = request;
      pending.comm = id;
      pending.one_sided = true;
    });
  }
  call.add_rma(EventType::RmaAccess, call.entered(), about(id, operation, target, sent, received));
}

void WinEpoch::after(RecordedCall& call) const noexcept {
  const std::uint32_t id = window_of(win);
  if (id == kUnknownWindow) {
    return;
  }
  Window& known = window(id);
  std::uint32_t& open = phase == Start || phase == Complete ? known.access_group : known.exposure_group;
  if (phase == Start || phase == Post) {
    open = rank_group_of(group);
  }
  if (open != kNoRankGroup) {
    const bool ends = phase == Complete || phase == Wait;
    call.add_rma(EventType::RmaSync, ends ? call.left() : call.entered(),
                 about(id, phase, kAllTargets, open));
  }
}

void WinLock::after(RecordedCall& call) const noexcept {
  const std::uint32_t id = window_of(win);
  if (id != kUnknownWindow && target != MPI_PROC_NULL) {
    const std::uint64_t exclusive = locktype == MPI_LOCK_EXCLUSIVE ? 1 : 0;
    call.add_rma(EventType::RmaSync, call.left(), about(id, phase, target, exclusive));
  }
}

}  // namespace waitprof::hooks
