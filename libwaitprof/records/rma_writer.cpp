// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/records/rma_writer.hpp"

#include <iterator>
#include <limits>

#include "libwaitprof/records/collective_ops.hpp"

namespace waitprof::archive {
namespace {

constexpr std::uint32_t kSyncLevel = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;

// Operations that one synchronisation completes share an even number; the ones with a request have an odd
// number of their own.
constexpr std::uint64_t number_of_request(std::uint32_t request) {
  return std::uint64_t{request} * 2 + 1;
}

std::uint32_t rank_ref(std::int32_t target) {
  return target == kAllTargets ? OTF2_UNDEFINED_UINT32 : static_cast<std::uint32_t>(target);
}

std::uint8_t atomic_type(RmaOperation operation) {
  switch (operation) {
    case RmaOperation::GetAccumulate:
      return OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE;
    case RmaOperation::FetchAndOp:
      return OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD;
    case RmaOperation::CompareAndSwap:
      return OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP;
    default:
      return OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
  }
}

}  // namespace

void RmaWriter::write(EventFile& file, const Event& event, std::uint64_t time) {
  const RmaData& rma = event.u.rma;
  const std::uint32_t window = rma.window;
  constexpr std::uint64_t kUnknownBytes = 0;
  switch (event.type) {
    case EventType::RmaWinCreate:
      return file.add(EventRecord::RmaWinCreate, time, window);
    case EventType::RmaWinDestroy:
      return file.add(EventRecord::RmaWinDestroy, time, window);
    case EventType::RmaCollectiveBegin:
      return file.add(EventRecord::RmaCollectiveBegin, time);
    case EventType::RmaCollectiveEnd:
      complete(file, rma, time, true);
      return file.add(EventRecord::RmaCollectiveEnd, time, std::uint8_t{collective_op(rma.detail)},
                      kSyncLevel, window, std::uint32_t{OTF2_COLLECTIVE_ROOT_NONE}, kUnknownBytes,
                      kUnknownBytes);
    case EventType::RmaRequest:
      request_ = event.u.message.request;
      return;
    case EventType::RmaRequestDone:
      return file.add(EventRecord::RmaOpCompleteNonBlocking, time, std::uint32_t{event.u.message.comm},
                      number_of_request(event.u.message.request));
    case EventType::RmaAccess:
      return write_access(file, rma, time);
    default:
      return write_sync(file, rma, time);
  }
}

void RmaWriter::write_access(EventFile& file, const RmaData& data, std::uint64_t time) {
  const auto operation = static_cast<RmaOperation>(data.detail);
  std::uint64_t number = number_of_request(request_);
  if (request_ != 0) {
    // A get is complete, also at the target, when its request is.
    if (operation != RmaOperation::Get) requested_[{data.window, data.target}].push_back(number);
  } else {
    const auto [open, is_new] = open_.try_emplace(Target{data.window, data.target}, next_number_);
    next_number_ += is_new ? 2 : 0;
    number = open->second;
  }
  request_ = 0;
  const std::uint32_t window = data.window, remote = rank_ref(data.target);
  const std::uint64_t sent = data.sent, received = data.received;
  if (operation == RmaOperation::Put) {
    return file.add(EventRecord::RmaPut, time, window, remote, sent, number);
  }
  if (operation == RmaOperation::Get) {
    return file.add(EventRecord::RmaGet, time, window, remote, received, number);
  }
  file.add(EventRecord::RmaAtomic, time, window, remote, atomic_type(operation), sent, received, number);
}

void RmaWriter::write_sync(EventFile& file, const RmaData& data, std::uint64_t time) {
  const auto sync = static_cast<RmaSync>(data.detail);
  const std::uint32_t window = data.window, remote = rank_ref(data.target);
  const bool completes = sync == RmaSync::Complete || sync == RmaSync::Unlock || sync == RmaSync::Flush;
  if (completes || sync == RmaSync::FlushLocal) {
    complete(file, data, time, completes);
  }
  constexpr std::uint64_t kLock = 0;
  switch (sync) {
    case RmaSync::Lock: {
      const std::uint8_t kind = data.sent != 0 ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
      return file.add(EventRecord::RmaAcquireLock, time, window, remote, kLock, kind);
    }
    case RmaSync::Unlock:
      return file.add(EventRecord::RmaReleaseLock, time, window, remote, kLock);
    case RmaSync::Flush:
    case RmaSync::FlushLocal:
      return;
    default:
      return file.add(EventRecord::RmaGroupSync, time, kSyncLevel, window,
                      static_cast<std::uint32_t>(data.sent - 1));
  }
}

void RmaWriter::complete(EventFile& file, const RmaData& data, std::uint64_t time, bool there) {
  const bool all = data.target == kAllTargets;
  const std::int32_t first = all ? std::numeric_limits<std::int32_t>::min() : data.target;
  const std::uint32_t window = data.window;
  const auto is_meant = [&](const Target& target) {
    return target.first == window && (all || target.second == data.target);
  };
  for (auto open = open_.lower_bound({window, first}); open != open_.end() && is_meant(open->first);) {
    file.add(there ? EventRecord::RmaOpCompleteRemote : EventRecord::RmaOpCompleteNonBlocking, time, window,
             open->second);
    open = there ? open_.erase(open) : std::next(open);
  }
  if (!there) {
    return;
  }
  for (auto open = requested_.lower_bound({window, first}); open != requested_.end() && is_meant(open->first);
       open = requested_.erase(open)) {
    for (const std::uint64_t number : open->second) {
      file.add(EventRecord::RmaOpCompleteRemote, time, window, number);
    }
  }
}

}  // namespace waitprof::archive
