// The point-to-point half of LocationRecorder: message ends in the order matching needs (sends as recorded,
// receives as posted) and the requests in flight.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analyzer/trace/builder/location_recorder.hpp"

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
    MessageEnd cancelled = ends[taken->end];
    cancelled.cancelled = true;
    ends.set(taken->end, cancelled);
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
  MessageEnd sent = end;
  sent.time = time;
  sent.posted = sent.completed = current_op();
  timeline_.sends_.push_back(sent);
}

void TraceBuilder::LocationRecorder::isend(Time time, const MessageEnd& end, std::uint64_t request) {
  time = advance(time);
  if (!inside_mpi(time)) return;
  post(time, request, {static_cast<std::uint32_t>(timeline_.sends_.size()), Request::What::Send});
  MessageEnd sent = end;
  sent.time = time;
  sent.posted = current_op();
  timeline_.sends_.push_back(sent);
}

void TraceBuilder::LocationRecorder::isend_complete(Time time, std::uint64_t request) {
  time = advance(time);
  Request posted{};
  if (!inside_mpi(time) || !take(time, request, Request::What::Send, posted)) return;
  timeline_.sends_.complete(posted.end, current_op());
}

void TraceBuilder::LocationRecorder::recv(Time time, const MessageEnd& end) {
  time = advance(time);
  if (!inside_mpi(time)) return;
  MessageEnd received = end;
  received.time = time;
  received.posted = received.completed = current_op();
  timeline_.receives_.push_back(received);
}

void TraceBuilder::LocationRecorder::irecv_request(Time time, std::uint64_t request, bool any_source) {
  time = advance(time);
  if (!inside_mpi(time)) return;
  post(time, request, {static_cast<std::uint32_t>(timeline_.receives_.size()), Request::What::Receive});
  MessageEnd posted;
  posted.posted = current_op();
  posted.any_source = any_source;
  timeline_.receives_.push_back(posted);
}

// A completion whose posting is unknown still takes part in matching, as if posted where it completed.
void TraceBuilder::LocationRecorder::irecv(Time time, const MessageEnd& end, std::uint64_t request) {
  time = advance(time);
  if (!inside_mpi(time)) return;
  Request posted{};
  if (!take(time, request, Request::What::Receive, posted)) {
    posted = {static_cast<std::uint32_t>(timeline_.receives_.size()), Request::What::Receive};
    MessageEnd unknown;
    unknown.posted = current_op();
    timeline_.receives_.push_back(unknown);
  }
  const MessageEnd known = timeline_.receives_[posted.end];
  MessageEnd received = end;
  received.any_source = known.any_source;
  received.time = time;
  received.posted = known.posted;
  received.completed = current_op();
  timeline_.receives_.set(posted.end, received);
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
  MessageColumn& ends = sent ? timeline_.sends_ : timeline_.receives_;
  MessageEnd end = ends[posted.end];
  end.cancelled = true;
  end.completed = current_op();
  if (!sent) end.time = time;
  ends.set(posted.end, end);
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
  std::size_t dropped = timeline_.sends_.erase_if(unknown_end);
  dropped += timeline_.receives_.erase_if(unknown_receive);
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
