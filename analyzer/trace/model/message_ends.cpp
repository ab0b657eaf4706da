// The point-to-point half of LocationRecorder: message ends in the order matching needs (sends as recorded,
// receives as posted) and the requests in flight.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analyzer/trace/model/location_recorder.hpp"

namespace waitdiag {

void TraceBuilder::LocationRecorder::post(Time time, std::uint64_t request, Request posted) {
  if (in_flight_.post(request, posted)) return;
  oddities_.add(Oddity::RequestReused, time);
  oddities_.add(Oddity::RequestPending, time);
}

bool TraceBuilder::LocationRecorder::take(Time time, std::uint64_t request, Request::What what,
                                          Request& posted, const CollectivePart* part) {
  const std::optional<Request> taken = in_flight_.take(request);
  if (!taken) {
    strangers_.push_back({time, request, what, part != nullptr ? *part : CollectivePart{}});
    return false;
  }
  posted = *taken;
  if (what == posted.what || what == Request::What::Nothing) return true;
  oddities_.add(Oddity::UnknownRequest, time);
  return false;
}

// The call that waited for it is in the other location: a message is received there; of sends and collectives
// only the start stays here.
bool TraceBuilder::LocationRecorder::completes_here(const Stranger& completion) {
  const std::optional<Request> taken = in_flight_.take(completion.request);
  if (!taken) return false;
  if (completion.what == Request::What::Nothing && taken->what != Request::What::Collective) {
    auto& ends = taken->what == Request::What::Send ? timeline_.sends_ : timeline_.receives_;
    ends[taken->end].cancelled = true;
    return true;
  }
  if (completion.what != taken->what) {
    in_flight_.post(completion.request, *taken);
    return false;
  }
  if (taken->what == Request::What::Collective) {
    CollectivePart& started = timeline_.collectives_[taken->end];
    const Time begin = started.begin;
    const std::uint32_t op = started.op;
    started = completion.part;
    started.begin = begin;
    started.end = timeline_.leave_[op];
    started.op = started.completed = op;
  }
  return true;
}

void TraceBuilder::LocationRecorder::settle_requests(const std::vector<LocationRecorder*>& process) {
  for (LocationRecorder* location : process) {
    for (const Stranger& completion : location->strangers_) {
      const bool known = std::any_of(process.begin(), process.end(), [&](LocationRecorder* other) {
        return other != location && other->completes_here(completion);
      });
      if (!known) location->oddities_.add(Oddity::UnknownRequest, completion.time);
    }
    std::vector<Stranger>().swap(location->strangers_);
  }
  for (LocationRecorder* location : process) {
    const std::size_t pending = location->in_flight_.size();
    if (pending > 0) location->oddities_.add(Oddity::RequestPending, location->timeline_.end_, pending);
    location->in_flight_ = {};
  }
}

void TraceBuilder::LocationRecorder::send(Time time, const MessageEnd& end) {
  time = advance(time);
  if (!inside_mpi(time)) return;
  MessageEnd& sent = timeline_.sends_.emplace_back(end);
  sent.time = time;
  sent.posted = sent.completed = current_op();
}

void TraceBuilder::LocationRecorder::isend(Time time, const MessageEnd& end, std::uint64_t request) {
  time = advance(time);
  if (!inside_mpi(time)) return;
  post(time, request, {static_cast<std::uint32_t>(timeline_.sends_.size()), Request::What::Send});
  MessageEnd& sent = timeline_.sends_.emplace_back(end);
  sent.time = time;
  sent.posted = current_op();
}

void TraceBuilder::LocationRecorder::isend_complete(Time time, std::uint64_t request) {
  time = advance(time);
  Request posted{};
  if (!inside_mpi(time) || !take(time, request, Request::What::Send, posted)) return;
  timeline_.sends_[posted.end].completed = current_op();
}

void TraceBuilder::LocationRecorder::recv(Time time, const MessageEnd& end) {
  time = advance(time);
  if (!inside_mpi(time)) return;
  MessageEnd& received = timeline_.receives_.emplace_back(end);
  received.time = time;
  received.posted = received.completed = current_op();
}

void TraceBuilder::LocationRecorder::irecv_request(Time time, std::uint64_t request, bool any_source) {
  time = advance(time);
  if (!inside_mpi(time)) return;
  post(time, request, {static_cast<std::uint32_t>(timeline_.receives_.size()), Request::What::Receive});
  MessageEnd& posted = timeline_.receives_.emplace_back();
  posted.posted = current_op();
  posted.any_source = any_source;
}

// A completion whose posting is unknown still takes part in matching, as if posted where it completed.
void TraceBuilder::LocationRecorder::irecv(Time time, const MessageEnd& end, std::uint64_t request) {
  time = advance(time);
  if (!inside_mpi(time)) return;
  Request posted{};
  if (!take(time, request, Request::What::Receive, posted)) {
    posted = {static_cast<std::uint32_t>(timeline_.receives_.size()), Request::What::Receive};
    timeline_.receives_.emplace_back().posted = current_op();
  }
  MessageEnd& received = timeline_.receives_[posted.end];
  const std::uint32_t posted_by = received.posted;
  const bool any_source = received.any_source;
  received = end;
  received.any_source = any_source;
  received.time = time;
  received.posted = posted_by;
  received.completed = current_op();
}

void TraceBuilder::LocationRecorder::request_cancelled(Time time, std::uint64_t request) {
  time = advance(time);
  Request posted{};
  if (!inside_mpi(time) || !take(time, request, Request::What::Nothing, posted)) return;
  if (posted.what == Request::What::Collective) {  // MPI does not allow it
    oddities_.add(Oddity::UnknownRequest, time);
    return;
  }
  const bool sent = posted.what == Request::What::Send;
  MessageEnd& end = sent ? timeline_.sends_[posted.end] : timeline_.receives_[posted.end];
  end.cancelled = true;
  end.completed = current_op();
  if (!sent) end.time = time;
}

void TraceBuilder::LocationRecorder::drop_unknown_peers(std::size_t ranks, std::size_t communicators) {
  const auto known_rank = [&](Rank rank) { return rank >= Rank{0} && index(rank) < ranks; };
  const auto unknown_end = [&](const MessageEnd& end) {
    return !known_rank(end.peer) || index(end.comm) >= communicators;
  };
  const auto unknown_receive = [&](const MessageEnd& end) {
    const bool received = end.completed != kNoOp && !end.cancelled;  // otherwise its sender is unknown
    return received && unknown_end(end);
  };
  std::size_t dropped = std::erase_if(timeline_.sends_, unknown_end);
  dropped += std::erase_if(timeline_.receives_, unknown_receive);
  // Collectives that were never completed are counted as pending requests.
  std::erase_if(timeline_.collectives_, [](const CollectivePart& part) { return part.completed == kNoOp; });
  dropped += std::erase_if(timeline_.collectives_, [&](const CollectivePart& part) {
    return index(part.comm) >= communicators || (part.root != kNoRank && !known_rank(part.root));
  });
  dropped += std::erase_if(timeline_.rma_, [&](const RmaRecord& record) {
    return index(record.window) >= communicators || (record.target != kNoRank && !known_rank(record.target));
  });
  if (dropped > 0) oddities_.add(Oddity::UnknownPeer, timeline_.begin_, dropped);
}

}  // namespace waitdiag
