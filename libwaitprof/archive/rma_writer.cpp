// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/rma_writer.hpp"

#include <iterator>
#include <limits>

#include "libwaitprof/archive/collective_ops.hpp"

namespace waitprof::archive {
namespace {

// Operations that one synchronisation completes share an even number; the ones with a request have an odd
// number of their own.
constexpr std::uint64_t number_of_request(std::uint32_t request) {
  return std::uint64_t{request} * 2 + 1;
}

std::uint32_t rank_ref(std::int32_t target) {
  return target == kAllTargets ? OTF2_UNDEFINED_UINT32 : static_cast<std::uint32_t>(target);
}

OTF2_RmaAtomicType atomic_type(RmaOperation operation) {
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

void RmaWriter::write(OTF2_EvtWriter* writer, const Event& event, std::uint64_t time, bool& whole) {
  const RmaData& rma = event.u.rma;
  OTF2_ErrorCode status = OTF2_SUCCESS;
  switch (event.type) {
    case EventType::RmaWinCreate:
      status = counted(OTF2_EvtWriter_RmaWinCreate(writer, nullptr, time, rma.window));
      break;
    case EventType::RmaWinDestroy:
      status = counted(OTF2_EvtWriter_RmaWinDestroy(writer, nullptr, time, rma.window));
      break;
    case EventType::RmaCollectiveBegin:
      status = counted(OTF2_EvtWriter_RmaCollectiveBegin(writer, nullptr, time));
      break;
    case EventType::RmaCollectiveEnd:
      status = complete(writer, rma, time, true);
      if (status == OTF2_SUCCESS) {
        status =
            counted(OTF2_EvtWriter_RmaCollectiveEnd(writer, nullptr, time, collective_op(rma.detail),
                                                    OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                                                    rma.window, OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
      }
      break;
    case EventType::RmaRequest:
      request_ = event.u.message.request;
      break;
    case EventType::RmaRequestDone:
      status = counted(OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, nullptr, time, event.u.message.comm,
                                                               number_of_request(event.u.message.request)));
      break;
    case EventType::RmaAccess:
      status = write_access(writer, rma, time);
      break;
    default:
      status = write_sync(writer, rma, time);
      break;
  }
  whole = whole && status == OTF2_SUCCESS;
}

OTF2_ErrorCode RmaWriter::write_access(OTF2_EvtWriter* writer, const RmaData& data, std::uint64_t time) {
  std::uint64_t number = number_of_request(request_);
  if (request_ == 0) {
    const auto [open, is_new] = open_.try_emplace(Target{data.window, data.target}, next_number_);
    next_number_ += is_new ? 2 : 0;
    number = open->second;
  }
  request_ = 0;
  const auto operation = static_cast<RmaOperation>(data.detail);
  const std::uint32_t remote = rank_ref(data.target);
  if (operation == RmaOperation::Put) {
    return counted(OTF2_EvtWriter_RmaPut(writer, nullptr, time, data.window, remote, data.sent, number));
  }
  if (operation == RmaOperation::Get) {
    return counted(OTF2_EvtWriter_RmaGet(writer, nullptr, time, data.window, remote, data.received, number));
  }
  return counted(OTF2_EvtWriter_RmaAtomic(writer, nullptr, time, data.window, remote, atomic_type(operation),
                                          data.sent, data.received, number));
}

OTF2_ErrorCode RmaWriter::write_sync(OTF2_EvtWriter* writer, const RmaData& data, std::uint64_t time) {
  const auto sync = static_cast<RmaSync>(data.detail);
  const std::uint32_t remote = rank_ref(data.target);
  const bool completes = sync == RmaSync::Complete || sync == RmaSync::Unlock || sync == RmaSync::Flush;
  if (completes || sync == RmaSync::FlushLocal) {
    if (const OTF2_ErrorCode status = complete(writer, data, time, completes); status != OTF2_SUCCESS) {
      return status;
    }
  }
  switch (sync) {
    case RmaSync::Lock:
      return counted(OTF2_EvtWriter_RmaAcquireLock(writer, nullptr, time, data.window, remote, 0,
                                                   data.sent != 0 ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED));
    case RmaSync::Unlock:
      return counted(OTF2_EvtWriter_RmaReleaseLock(writer, nullptr, time, data.window, remote, 0));
    case RmaSync::Flush:
    case RmaSync::FlushLocal:
      return OTF2_SUCCESS;
    default:
      return counted(OTF2_EvtWriter_RmaGroupSync(writer, nullptr, time,
                                                 OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                                                 data.window, static_cast<OTF2_GroupRef>(data.sent - 1)));
  }
}

OTF2_ErrorCode RmaWriter::complete(OTF2_EvtWriter* writer, const RmaData& data, std::uint64_t time,
                                   bool there) {
  const bool all = data.target == kAllTargets;
  const std::int32_t first = all ? std::numeric_limits<std::int32_t>::min() : data.target;
  for (auto open = open_.lower_bound({data.window, first}); open != open_.end();) {
    const auto& [target, number] = *open;
    if (target.first != data.window || (!all && target.second != data.target)) {
      break;
    }
    const OTF2_ErrorCode status =
        there ? counted(OTF2_EvtWriter_RmaOpCompleteRemote(writer, nullptr, time, data.window, number))
              : counted(OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, nullptr, time, data.window, number));
    if (status != OTF2_SUCCESS) {
      return status;
    }
    open = there ? open_.erase(open) : std::next(open);
  }
  return OTF2_SUCCESS;
}

}  // namespace waitprof::archive
