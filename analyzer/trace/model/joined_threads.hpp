// A thread that waits in pthread_join() is as late as the thread it joins: what that one did takes the place of the
// wait. The wait's time becomes computation that only samples divide, and gets samples of the joined thread.
//
//   main      solve....| waits in join for B |exchange          becomes   solve....| spin............... |exchange
//   thread B     spin........................|
//
// Where one thread joins several, the one that ended last held it up since that one began, whichever was joined
// first. A thread that works while the other one does would not have waited for what takes that one as long as
// usual: the wait is first what took longer than in the same threads of other ranks, see share_of_wait().
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

class JoinedThreads {
 public:
  // `trace` is complete, but for what this changes.
  explicit JoinedThreads(Trace& trace) : trace_(trace) {}

  void replace_waits();

 private:
  class Replacement;
  // Nanoseconds by call path.
  using Work = std::map<CallPathId, double>;
  struct Thread {
    Rank rank = kNoRank;
    std::uint32_t thread = 0;
    const ThreadLife* life = nullptr;
    std::pair<Rank, CallPathId> kind{};  // those of a rank that one call started
  };
  // Part of a wait, and whose end it was for.
  struct Wait {
    const ThreadJoin* join = nullptr;
    Duration time{};
    const Thread* thread = nullptr;
  };
  struct Kind {
    Work work{};  // of all
    double lives = 0, time = 0, samples = 0;
  };

  void begin_with_the_run(Timeline& timeline) const;
  void find_threads();
  void find_kinds();
  Work work_of(const Thread& thread) const;
  Work usual_work(CallPathId started_by) const;
  Work share_of_wait(const Thread& thread, Duration wait) const;
  std::vector<Wait> waits_of(const Timeline& timeline) const;
  void replace_waits_of(Rank rank, Timeline& timeline);
  void tell(Rank rank, const Wait& wait, const Work& work);

  Trace& trace_;
  std::unordered_map<std::uint64_t, Thread> threads_{};  // by number
  std::map<std::pair<Rank, CallPathId>, Kind> kinds_{};  // by rank and what started them
  std::map<CallPathId, Work> usual_{};                   // by what started them: of one thread
};

}  // namespace waitdiag
