// SPDX-License-Identifier: BSD-3-Clause
#include "tests/roundtrip/same_trace.hpp"

#include <algorithm>
#include <tuple>

namespace waitdiag::test {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

// All facts of a call path: for each frame its name, file, line, kind and the line of the call.
std::string full_path(const Trace& trace, CallPathId id) {
  std::string text;
  for (; id != kNoCallPath; id = trace.call_paths()[index(id)].parent) {
    const Region& region = trace.region(id);
    text = region.name + "|" + region.file + "|" + std::to_string(region.line) + "|" +
           std::to_string(static_cast<int>(region.kind)) + "|" +
           std::to_string(static_cast<int>(region.mode)) + "|" + std::to_string(region.divisible) +
           std::to_string(region.library) + "|" + std::to_string(trace.call_paths()[index(id)].line) + "/" +
           text;
  }
  return text;
}

class Comparison {
 public:
  Comparison(const Trace& a, const Trace& b) : a_(a), b_(b) {}

  AssertionResult compare() {
    return result(same_facts() && same_communicators() && same_locations() && same_timelines());
  }
  // Compares what happened when, regardless of descriptions.
  AssertionResult compare_run() {
    visits_count_ = false;
    return result(same_communicators() && same_timelines());
  }

 private:
  AssertionResult result(bool same) const {
    return same ? AssertionSuccess() : AssertionFailure() << "the traces differ in " << difference_;
  }

  bool check(bool equal, const std::string& what) {
    if (!equal && difference_.empty()) difference_ = what;
    return equal;
  }

  bool same_facts() {
    const RunFacts &a = a_.facts(), &b = b_.facts();
    return check(std::tie(a.program, a.mpi, a.creator, a.events, a.clock_resolution, a.properties,
                          a.communication_complete) == std::tie(b.program, b.mpi, b.creator, b.events,
                                                                b.clock_resolution, b.properties,
                                                                b.communication_complete),
                 "the facts of the run") &&
           check(std::tuple(a_.begin(), a_.end(), a_.world(), a_.ranks()) ==
                     std::tuple(b_.begin(), b_.end(), b_.world(), b_.ranks()),
                 "begin, end, world or number of ranks");
  }

  bool same_communicators() {
    const auto facts = [](const Communicator& c) {
      return std::tie(c.name, c.members, c.parent, c.self, c.remote_members);
    };
    bool same = check(a_.communicators().size() == b_.communicators().size(), "the number of communicators");
    for (std::size_t i = 0; same && i < a_.communicators().size(); ++i) {
      same = check(facts(a_.communicators()[i]) == facts(b_.communicators()[i]),
                   "communicator " + std::to_string(i));
    }
    return same;
  }

  bool same_locations() {
    const auto facts = [](const LocationInfo& l) {
      return std::tie(l.rank, l.thread, l.name, l.node, l.node_processors, l.package, l.core, l.trace_id,
                      l.failed_polls, l.path_walks_ns, l.upkeep_ns);
    };
    bool same = check(a_.locations().size() == b_.locations().size(), "the number of locations");
    for (std::size_t i = 0; same && i < a_.locations().size(); ++i) {
      same = check(facts(a_.locations()[i]) == facts(b_.locations()[i]), "location " + std::to_string(i));
    }
    return same;
  }

  bool same_timelines() {
    bool same = true;
    for (std::size_t i = 0; same && i < a_.timelines().size(); ++i) {
      place_ = " of location " + std::to_string(i);
      const Timeline &a = a_.timelines()[i], &b = b_.timelines()[i];
      same = check(a.size() == b.size(), "the number of operations" + place_) &&
             check(a.begin() == b.begin() && a.end() == b.end(), "begin and end" + place_) &&
             same_operations(a, b) && same_steps(a, b) && same_user_regions(a, b) && same_gaps(a, b) &&
             same_ends(a.sends(), b.sends(), "send") && same_ends(a.receives(), b.receives(), "receive") &&
             same_parts(a.collectives(), b.collectives()) && same_rma(a.rma(), b.rma()) &&
             same_file_accesses(a.file_accesses(), b.file_accesses()) && same_polls(a.polls(), b.polls()) &&
             same_preempted(a.preempted_calls(), b.preempted_calls()) && same_usage(a.usage(), b.usage());
    }
    return same;
  }

  bool same_operations(const Timeline& a, const Timeline& b) {
    bool same = true;
    for (std::uint32_t op = 0; same && op < a.size(); ++op) {
      same = check(a.enter(op) == b.enter(op) && a.leave(op) == b.leave(op) &&
                       full_path(a_, a.call_path(op)) == full_path(b_, b.call_path(op)),
                   "operation " + std::to_string(op) + place_);
    }
    return same;
  }

  bool same_steps(const Timeline& a, const Timeline& b) {
    return check(a.step_marks() == b.step_marks(), "the steps" + place_);
  }

  bool same_user_regions(const Timeline& a, const Timeline& b) {
    const auto same = [this](const UserRegion& x, const UserRegion& y) {
      return x.begin == y.begin && x.end == y.end && a_.region(x.region).name == b_.region(y.region).name;
    };
    const auto &m = a.user_regions(), &n = b.user_regions();
    return check(std::equal(m.begin(), m.end(), n.begin(), n.end(), same), "the user's regions" + place_);
  }

  bool same_gaps(const Timeline& a, const Timeline& b) {
    bool same = true;
    for (std::size_t gap = 0; same && gap < a.gaps(); ++gap) {
      const std::string where = " of gap " + std::to_string(gap) + place_;
      const auto pieces_a = a.pieces(gap), pieces_b = b.pieces(gap);
      same = check(pieces_a.size() == pieces_b.size(), "the number of pieces" + where);
      for (std::size_t i = 0; same && i < pieces_a.size(); ++i) {
        same = check(pieces_a[i].time == pieces_b[i].time &&
                         (!visits_count_ || pieces_a[i].visits == pieces_b[i].visits) &&
                         full_path(a_, pieces_a[i].call_path) == full_path(b_, pieces_b[i].call_path),
                     "piece " + std::to_string(i) + where);
      }
      const auto samples_a = a.samples(gap), samples_b = b.samples(gap);
      same = same && check(samples_a.size() == samples_b.size(), "the number of samples" + where);
      for (std::size_t i = 0; same && i < samples_a.size(); ++i) {
        same = check(samples_a[i].weight == samples_b[i].weight &&
                         full_path(a_, samples_a[i].call_path) == full_path(b_, samples_b[i].call_path),
                     "sample " + std::to_string(i) + where);
      }
    }
    return same;
  }

  bool same_ends(const MessageColumn& a, const MessageColumn& b, const std::string& what) {
    const auto facts = [](const MessageEnd& m) {
      return std::tuple(m.time, m.bytes, m.posted, m.completed, m.peer, m.tag, m.comm, m.cancelled);
    };
    bool same = check(a.size() == b.size(), "the number of " + what + "s" + place_);
    for (std::size_t i = 0; same && i < a.size(); ++i) {
      // A receive that was never completed has only the facts of its posting.
      same = check(facts(a[i]) == facts(b[i]), what + " " + std::to_string(i) + place_);
    }
    return same;
  }

  bool same_parts(const std::vector<CollectivePart>& a, const std::vector<CollectivePart>& b) {
    const auto facts = [](const CollectivePart& p) {
      return std::tie(p.begin, p.end, p.sent, p.received, p.op, p.completed, p.comm, p.root, p.kind);
    };
    bool same = check(a.size() == b.size(), "the number of collective records" + place_);
    for (std::size_t i = 0; same && i < a.size(); ++i) {
      same = check(facts(a[i]) == facts(b[i]) && peers(a_, a[i]) == peers(b_, b[i]),
                   "collective record " + std::to_string(i) + place_);
    }
    return same;
  }

  bool same_rma(const std::vector<RmaRecord>& a, const std::vector<RmaRecord>& b) {
    const auto facts = [](const RmaRecord& r) {
      return std::tie(r.time, r.bytes, r.returned, r.number, r.op, r.window, r.target, r.what, r.exclusive);
    };
    const auto group = [](const Trace& trace, const RmaRecord& r) {
      return r.group == kNoPeerList ? PeerList{} : trace.peer_lists()[index(r.group)];
    };
    bool same = check(a.size() == b.size(), "the number of one-sided records" + place_);
    for (std::size_t i = 0; same && i < a.size(); ++i) {
      same = check(facts(a[i]) == facts(b[i]) && group(a_, a[i]) == group(b_, b[i]),
                   "one-sided record " + std::to_string(i) + place_);
    }
    return same;
  }

  bool same_file_accesses(const std::vector<FileAccess>& a, const std::vector<FileAccess>& b) {
    const auto same = [](const FileAccess& x, const FileAccess& y) {
      return x.op == y.op && x.bytes == y.bytes;
    };
    return check(std::equal(a.begin(), a.end(), b.begin(), b.end(), same), "accesses to files" + place_);
  }

  bool same_preempted(const std::vector<PreemptedCall>& a, const std::vector<PreemptedCall>& b) {
    const auto same = [](const PreemptedCall& x, const PreemptedCall& y) {
      return x.op == y.op && x.time == y.time;
    };
    return check(std::equal(a.begin(), a.end(), b.begin(), b.end(), same),
                 "calls without a processor" + place_);
  }
  bool same_polls(const std::vector<PollRecord>& a, const std::vector<PollRecord>& b) {
    const auto same = [](const PollRecord& x, const PollRecord& y) {
      return x.op == y.op && x.in_vain == y.in_vain;
    };
    return check(std::equal(a.begin(), a.end(), b.begin(), b.end(), same), "rows of polls" + place_);
  }

  bool same_usage(const std::vector<UsageReading>& a, const std::vector<UsageReading>& b) {
    const auto facts = [](const UsageReading& reading) {
      return std::tie(reading.time, reading.processor_time, reading.resident, reading.runnable, reading.op,
                      reading.faults, reading.stolen, reading.node_busy);
    };
    return check(std::ranges::equal(a, b, {}, facts, facts), "what was used" + place_);
  }

  static PeerList peers(const Trace& trace, const CollectivePart& part) {
    return part.peers == kNoPeerList ? PeerList{} : trace.peer_lists()[index(part.peers)];
  }

  const Trace &a_, &b_;
  std::string place_, difference_;
  bool visits_count_ = true;
};

}  // namespace

AssertionResult same_trace(const Trace& a, const Trace& b) {
  return Comparison(a, b).compare();
}
AssertionResult same_run(const Trace& a, const Trace& b) {
  return Comparison(a, b).compare_run();
}

}  // namespace waitdiag::test
