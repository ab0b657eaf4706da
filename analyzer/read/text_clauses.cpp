// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/read/text_clauses.hpp"

#include <algorithm>
#include <optional>

#include "analyzer/read/text_names.hpp"

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
    CollectiveEnd
  };
  What what;
  Time time{};
  Rank peer = kNoRank;  // or the root
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t request = 0;
  CommId comm = kNoComm;
  CollectiveKind kind = CollectiveKind::Other;
  std::uint64_t sent = 0, received = 0;
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
      clauses_.push_back({.what = Clause::What::Post, .request = request(false)});
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

  std::uint64_t request(bool is_send) {
    const auto id = line_.number<std::uint64_t>("a request");
    if (!context_.requests->emplace(id, is_send).second) {
      line_.fail("request " + std::to_string(id) + " is already in flight on this rank");
    }
    return id;
  }

  bool finish_request(std::uint64_t id) {
    const auto known = context_.requests->find(id);
    if (known == context_.requests->end()) {
      line_.fail("request " + std::to_string(id) + " was not posted on this rank");
    }
    const bool is_send = known->second;
    context_.requests->erase(known);
    return is_send;
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
      } else if (clause.what == Clause::What::Send && line_.accept("request")) {
        clause.what = Clause::What::Isend;
        clause.request = request(true);
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
      if (finish_request(clause.request)) {
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
    Clause end{.what = Clause::What::CollectiveEnd, .time = context_.leave, .kind = kind};
    std::optional<std::uint64_t> bytes, sent, received;
    for (;;) {
      if (line_.accept("root")) {
        end.peer = rank();
      } else if (line_.accept("bytes")) {
        bytes = line_.number<std::uint64_t>("bytes");
      } else if (line_.accept("sent")) {
        sent = line_.number<std::uint64_t>("bytes sent");
      } else if (line_.accept("received")) {
        received = line_.number<std::uint64_t>("bytes received");
      } else if (line_.accept("comm")) {
        end.comm = context_.communicator(line_.name("a communicator"));
      } else if (line_.accept("at")) {
        begin.time = time_inside();
      } else if (line_.accept("until")) {
        end.time = time_inside();
      } else {
        break;
      }
    }
    if (end.time < begin.time) line_.fail("the collective ends before it begins");
    if (end.comm == kNoComm) end.comm = context_.communicator("MPI_COMM_WORLD");
    // "bytes 8" alone: every participant sends and receives as much, but only the root sends in one-to-all
    // calls and only the root receives in all-to-one calls.
    const bool root = end.peer == kNoRank || end.peer == context_.rank;
    end.sent = sent.value_or(context_.region->kind == CallKind::OneToAll && !root ? 0 : bytes.value_or(0));
    end.received =
        received.value_or(context_.region->kind == CallKind::AllToOne && !root ? 0 : bytes.value_or(0));
    clauses_.push_back(begin);
    clauses_.push_back(end);
  }

  Rank rank() { return Rank(line_.number<std::int32_t>("a rank")); }
  Time time_inside() {
    const Time time = context_.time(line_.take("a time"));
    if (time < context_.enter || time > context_.leave) line_.fail("a time lies outside its call");
    return time;
  }

  TextLine& line_;
  const ClauseContext& context_;
  std::vector<Clause> clauses_;
};

}  // namespace

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
        builder.recv(here, c.time, c.peer, c.comm, c.tag, c.bytes);
        break;
      case Clause::What::Post:
        builder.irecv_request(here, c.time, c.request);
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
        builder.collective_end(here, c.time, c.kind, c.comm, c.peer, c.sent, c.received);
        break;
    }
  }
}

}  // namespace waitdiag
