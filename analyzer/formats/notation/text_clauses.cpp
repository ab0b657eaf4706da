// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/notation/text_clauses.hpp"

#include <algorithm>
#include <optional>

#include "analyzer/formats/notation/peer_text.hpp"
#include "analyzer/formats/notation/text_names.hpp"

namespace waitdiag {
namespace {

struct Clause {
  enum class What : std::uint8_t {
    Send,
    Isend,
    Recv,
    Post,
    SendDone,
    RecvDone,
    Cancel,
    CollectiveBegin,
    CollectiveEnd,
    CollectiveStart,
    CollectiveDone,
    Rma,
    FileBytes,
    Polls,
    Preempted,
    Usage
  };
  What what;
  Time time{};
  Rank peer = kNoRank;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;  // Polls: how many; Preempted: nanoseconds
  std::uint64_t request = 0;
  CommId comm = kNoComm;
  bool any_source = false;
  CollectivePart part{};  // collectives
  RmaRecord rma{};
  UsageReading usage{};
};

class ClauseReader {
 public:
  ClauseReader(TextLine& line, const ClauseContext& context) : line_(line), context_(context) {}

  std::vector<Clause> read() {
    if (const auto kind = implied_collective(*context_.region); kind && !line_.accept("alone"))
      collective(*kind);
    while (!line_.done()) clause();
    // A posting has no time of its own in the notation: it keeps its place after the clause before it.
    Time last = context_.enter;
    for (Clause& clause : clauses_) {
      if (clause.what == Clause::What::Post) clause.time = last;
      last = clause.time;
    }
    std::stable_sort(clauses_.begin(), clauses_.end(),
                     [](const Clause& a, const Clause& b) { return a.time < b.time; });
    return std::move(clauses_);
  }

 private:
  void clause() {
    const std::string_view word = line_.take("a clause");
    if (word == "to") {
      message(Clause::What::Send, context_.enter);
    } else if (word == "from") {
      message(Clause::What::Recv, context_.leave);
    } else if (word == "request") {
      Clause post{.what = Clause::What::Post, .request = request({PostedRequest::What::Receive})};
      post.any_source = line_.accept("any");
      clauses_.push_back(post);
    } else if (word == "moves") {
      const auto bytes = line_.number<std::uint64_t>("bytes");
      clauses_.push_back({.what = Clause::What::FileBytes, .time = context_.leave, .bytes = bytes});
    } else if (word == "polls") {
      const auto in_vain = line_.number<std::uint64_t>("how many polls");
      clauses_.push_back({.what = Clause::What::Polls, .time = context_.enter, .bytes = in_vain});
    } else if (word == "preempted") {
      const auto length = line_.number<std::uint64_t>("for how long");
      clauses_.push_back({.what = Clause::What::Preempted, .time = context_.leave, .bytes = length});
    } else if (word == "usage") {
      const UsageReading reading = read_reading(line_, context_.time);
      clauses_.push_back({.what = Clause::What::Usage, .time = inside(reading.time), .usage = reading});
    } else if (word == "rma") {
      one_sided();
    } else if (word == "starts") {
      collective_start();
    } else if (word == "completes") {
      completions();
    } else if (word == "cancels") {
      cancellation();
    } else if (word == "collective") {
      const std::string kind = line_.name("the kind of collective");
      if (!collective_kind(kind)) line_.fail("unknown kind of collective '" + kind + "'");
      collective(*collective_kind(kind));
    } else {
      line_.fail("unknown word '" + std::string(word) + "' after " + context_.region->name);
    }
  }

  std::uint64_t request(const PostedRequest& posted) {
    const auto id = line_.number<std::uint64_t>("a request");
    if (!context_.requests->emplace(id, posted).second) {
      line_.fail("request " + std::to_string(id) + " is already in flight on this rank");
    }
    return id;
  }

  PostedRequest finish_request(std::uint64_t id) {
    const auto known = context_.requests->find(id);
    if (known == context_.requests->end()) {
      line_.fail("request " + std::to_string(id) + " was not posted on this rank");
    }
    const PostedRequest posted = known->second;
    context_.requests->erase(known);
    return posted;
  }

  void message(Clause::What what, Time time) {
    Clause clause{.what = what, .time = time, .peer = rank()};
    envelope(clause);
    clauses_.push_back(clause);
  }

  // What follows a rank, in any order.
  void envelope(Clause& clause) {
    for (;;) {
      if (line_.accept("tag")) {
        clause.tag = line_.number<std::int32_t>("a tag");
      } else if (line_.accept("bytes")) {
        clause.bytes = line_.number<std::uint64_t>("bytes");
      } else if (line_.accept("comm")) {
        clause.comm = context_.communicator(line_.name("a communicator"));
      } else if (line_.accept("at")) {
        clause.time = time_inside();
      } else if (clause.what == Clause::What::Recv && line_.accept("any")) {
        clause.any_source = true;
      } else if (clause.what == Clause::What::Send && line_.accept("request")) {
        clause.what = Clause::What::Isend;
        clause.request = request({PostedRequest::What::Send});
      } else {
        break;
      }
    }
    if (clause.comm == kNoComm) clause.comm = context_.communicator("MPI_COMM_WORLD");
  }

  void completions() {
    if (!line_.at_number()) line_.fail("'completes' needs a request");
    while (line_.at_number()) {
      Clause clause{.what = Clause::What::SendDone, .time = context_.leave};
      clause.request = line_.number<std::uint64_t>("a request");
      const PostedRequest posted = finish_request(clause.request);
      if (posted.what != PostedRequest::What::Receive) {
        const bool collective = posted.what == PostedRequest::What::Collective;
        if (collective) clause.what = Clause::What::CollectiveDone;
        clause.part = posted.part;
        if (line_.accept("at")) clause.time = time_inside();
      } else {
        clause.what = Clause::What::RecvDone;
        if (!line_.accept("from")) {
          line_.fail("request " + std::to_string(clause.request) + " is a receive: say 'from' which rank");
        }
        clause.peer = rank();
        envelope(clause);
      }
      clauses_.push_back(clause);
    }
  }

  void cancellation() {
    Clause clause{.what = Clause::What::Cancel, .time = context_.leave};
    clause.request = line_.number<std::uint64_t>("a request");
    finish_request(clause.request);
    if (line_.accept("at")) clause.time = time_inside();
    clauses_.push_back(clause);
  }

  void collective(CollectiveKind kind) {
    Clause begin{.what = Clause::What::CollectiveBegin, .time = context_.enter};
    Clause end{.what = Clause::What::CollectiveEnd, .time = context_.leave};
    end.part = part(kind, begin, &end);
    if (end.time < begin.time) line_.fail("the collective ends before it begins");
    clauses_.push_back(begin);
    clauses_.push_back(end);
  }

  // "starts 7", "starts 7 Allreduce bytes 8"
  void collective_start() {
    Clause start{.what = Clause::What::CollectiveStart, .time = context_.enter};
    start.request = request({PostedRequest::What::Collective});
    auto kind = collective_kind(line_.peek());
    if (kind) {
      line_.take("the kind of collective");
    } else {
      kind = implied_nonblocking(*context_.region);
    }
    if (!kind) line_.fail("say which kind of collective " + context_.region->name + " starts");
    context_.requests->at(start.request).part = part(*kind, start, nullptr);
    clauses_.push_back(start);
  }

  // What follows a kind of collective, in any order; "at" is said of `begin`, "until" of `end`.
  CollectivePart part(CollectiveKind kind, Clause& begin, Clause* end) {
    CollectivePart part{.kind = kind};
    std::optional<std::uint64_t> bytes, sent, received;
    for (;;) {
      if (line_.accept("root")) {
        part.root = rank();
      } else if (line_.accept("bytes")) {
        bytes = line_.number<std::uint64_t>("bytes");
      } else if (line_.accept("sent")) {
        sent = line_.number<std::uint64_t>("bytes sent");
      } else if (line_.accept("received")) {
        received = line_.number<std::uint64_t>("bytes received");
      } else if (line_.accept("comm")) {
        part.comm = context_.communicator(line_.name("a communicator"));
      } else if (line_.accept("peers")) {
        part.peers = peers();
      } else if (line_.accept("at")) {
        begin.time = time_inside();
      } else if (end != nullptr && line_.accept("until")) {
        end->time = time_inside();
      } else {
        break;
      }
    }
    if (part.comm == kNoComm) part.comm = context_.communicator("MPI_COMM_WORLD");
    // "bytes 8" alone: every participant sends and receives that much, except that only the root sends in
    // one-to-all calls and only the root receives in all-to-one calls.
    const CallKind called = class_by_name(kind);
    const bool root = part.root == kNoRank || part.root == context_.rank;
    part.sent = sent.value_or(called == CallKind::OneToAll && !root ? 0 : bytes.value_or(0));
    part.received = received.value_or(called == CallKind::AllToOne && !root ? 0 : bytes.value_or(0));
    return part;
  }

  // "rma put 1 bytes 8 win W", "rma atomic 1 bytes 16 returned 8 number 3 win W", "rma done number 3 win W",
  // "rma post with 0 2 win W", "rma lock 1 exclusive win W"
  void one_sided() {
    Clause clause{.what = Clause::What::Rma};
    RmaRecord& rma = clause.rma;
    const std::string_view called = line_.take("what it does");
    const auto what = rma_word(called);
    if (!what) line_.fail("unknown one-sided operation '" + std::string(called) + "'");
    rma.what = *what;
    clause.time = at_enter(rma.what) ? context_.enter : context_.leave;
    if (line_.at_number()) rma.target = rank();
    for (;;) {
      if (line_.accept("bytes")) {
        rma.bytes = line_.number<std::uint64_t>("bytes");
      } else if (line_.accept("returned")) {
        rma.returned = line_.number<std::uint64_t>("bytes");
        if (rma.returned > rma.bytes) line_.fail("what is returned is part of the bytes before it");
      } else if (line_.accept("number")) {
        rma.number = line_.number<std::uint64_t>("a number");
      } else if (line_.accept("win")) {
        rma.window = context_.communicator(line_.name("a window"));
      } else if (line_.accept("exclusive")) {
        rma.exclusive = true;
      } else if (line_.accept("with")) {
        PeerList ranks;
        while (line_.at_number()) {
          const auto number = static_cast<std::uint32_t>(index(rank()));
          ranks.sent.push_back({number, number, 0});
        }
        rma.group = context_.peer_list(ranks);
      } else if (line_.accept("at")) {
        clause.time = time_inside();
      } else {
        break;
      }
    }
    if (rma.window == kNoComm) line_.fail("a one-sided operation needs its window ('win NAME')");
    rma.time = clause.time;
    clauses_.push_back(clause);
  }

  PeerListId peers() {
    const auto list = parse_peers(line_.take("the peers"));
    if (!list) line_.fail("peers are written '0-3:8,5:16;1:8' (to whom how many bytes; from whom)");
    return context_.peer_list(*list);
  }

  Rank rank() { return Rank(line_.number<std::int32_t>("a rank")); }
  Time time_inside() { return inside(context_.time(line_.take("a time"))); }
  Time inside(Time time) const {
    if (time < context_.enter || time > context_.leave) line_.fail("a time lies outside its call");
    return time;
  }

  TextLine& line_;
  const ClauseContext& context_;
  std::vector<Clause> clauses_;
};

}  // namespace

UsageReading read_reading(TextLine& line, const std::function<Time(std::string_view)>& time) {
  UsageReading reading{.time = time(line.take("a time"))};
  if (line.accept("cpu")) reading.processor_time = time(line.take("a time")).time_since_epoch();
  if (line.accept("memory")) reading.resident = line.number<std::uint64_t>("bytes");
  if (line.accept("load")) reading.runnable = line.number<std::uint32_t>("a number of threads");
  if (line.accept("faults")) {
    Faults& faults = reading.faults.emplace();
    faults.minor = line.number<std::uint64_t>("a number of minor page faults");
    faults.major = line.number<std::uint64_t>("a number of major page faults");
    if (line.accept("migrations")) faults.migrations = line.number<std::uint64_t>("a number");
  }
  if (line.accept("stolen")) reading.stolen = time(line.take("a time")).time_since_epoch();
  if (line.accept("node_busy")) reading.node_busy = time(line.take("a time")).time_since_epoch();
  return reading;
}

void feed_clauses(TextLine& line, const ClauseContext& context, TraceBuilder& builder) {
  const Location here = context.location;
  for (const Clause& c : ClauseReader(line, context).read()) {
    switch (c.what) {
      case Clause::What::Send:
        builder.send(here, c.time, c.peer, c.comm, c.tag, c.bytes);
        break;
      case Clause::What::Isend:
        builder.isend(here, c.time, c.peer, c.comm, c.tag, c.bytes, c.request);
        break;
      case Clause::What::Recv:
        builder.recv(here, c.time, c.peer, c.comm, c.tag, c.bytes, c.any_source);
        break;
      case Clause::What::Post:
        builder.irecv_request(here, c.time, c.request, c.any_source);
        break;
      case Clause::What::SendDone:
        builder.isend_complete(here, c.time, c.request);
        break;
      case Clause::What::RecvDone:
        builder.irecv(here, c.time, c.peer, c.comm, c.tag, c.bytes, c.request);
        break;
      case Clause::What::Cancel:
        builder.request_cancelled(here, c.time, c.request);
        break;
      case Clause::What::CollectiveBegin:
        builder.collective_begin(here, c.time);
        break;
      case Clause::What::CollectiveEnd:
        builder.collective_end(here, c.time, c.part.kind, c.part.comm, c.part.root, c.part.sent,
                               c.part.received, c.part.peers);
        break;
      case Clause::What::Rma:
        builder.rma(here, c.rma);
        break;
      case Clause::What::Polls:
        builder.polls(here, c.time, c.bytes);
        break;
      case Clause::What::Preempted:
        builder.off_processor(here, c.time, Duration(c.bytes), OffReason::Preempted, 0);
        break;
      case Clause::What::FileBytes:
        builder.file_bytes(here, c.time, c.bytes);
        break;
      case Clause::What::Usage:
        builder.usage(here, c.usage);
        break;
      case Clause::What::CollectiveStart:
        builder.collective_request(here, c.time, c.request);
        break;
      case Clause::What::CollectiveDone:
        builder.collective_complete(here, c.time, c.part, c.request);
        break;
    }
  }
}

}  // namespace waitdiag
