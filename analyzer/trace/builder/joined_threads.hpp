// A thread that waits in pthread_join() is as late as the thread it joins: what that one did takes the place of the
// wait. Calls in which the joined thread was blocked are exact; the rest of the wait's time becomes computation that
// only samples divide, and gets samples of the joined thread.
//
//   main      solve....| waits in join for B |exchange          becomes   solve....| spin............... |exchange
//   thread B     spin........................|
//
// Where one thread joins several, the one that ended last held it up since that one began, whichever was joined
// first. A thread that works while the other one does would not have waited for what takes that one as long as
// usual: the wait is first what took longer than in the same threads of other ranks, see share_of_wait().
//
// A thread that waits for another one to wake it (a condition variable, a future, a semaphore) is as late as that one.
// Of it counts what it did since it was woken itself, or last woke another one: so those that wait for work are not
// blamed. Before that, it was itself late because of the thread that woke it.
//
// A thread that calls MPI has a timeline of its own, and its join is an operation that needs it. Only what took it longer
// than usual behind its last call moves to the thread that waits for it: nobody else waits for that.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

class JoinedThreads {
 public:
  // `trace` is complete, but for what this changes.
  explicit JoinedThreads(Trace& trace);
  ~JoinedThreads();
  JoinedThreads(const JoinedThreads&) = delete;
  JoinedThreads& operator=(const JoinedThreads&) = delete;

  void replace_waits();

 private:
  class Replacement;
  // Known exactly, or by samples.
  struct Part {
    CallPathId call_path = kNoCallPath;
    bool exact = false;
    friend auto operator<=>(const Part&, const Part&) = default;
  };
  using Work = std::map<Part, double>;  // nanoseconds
  static double nanoseconds(Duration time) { return static_cast<double>(time.count()); }
  static double sum_of(const Work& work) {
    double sum = 0;
    for (const auto& [part, time] : work) sum += time;
    return sum;
  }
  struct Thread {
    Rank rank = kNoRank;
    std::uint32_t thread = 0;
    const ThreadLife* life = nullptr;
    std::pair<Rank, CallPathId> kind{};  // those of a rank that one call started; that end the same wait
    CallPathId started_by = kNoCallPath;
    bool wakes = false;  // it is a stretch up to a wake
    bool waited_for = false;
    // If it calls MPI: its timeline, and the operation behind its life, which is the time behind its last call.
    Timeline* timeline = nullptr;
    std::uint32_t behind = kNoOp;
  };
  // Part of a wait, and whose end it was for.
  struct Wait {
    const ThreadJoin* join = nullptr;
    Duration time{};
    Thread* thread = nullptr;
  };
  struct Kind {
    Work exact{}, sampled{};  // of all
    double lives = 0, time = 0;
    std::vector<const ThreadLife*> by_length{};  // whole lives
    // By the length of the longest of those of about the same length, the shortest first.
    std::vector<std::pair<Duration, Work>> sampled_up_to{};
    void add(const ThreadLife& life);
    void add_one(const ThreadLife& life);  // a whole one, that stays where it is
    void divide_by_length();
    const Work& sampled_in_about(Duration length) const;
  };
  using Kinds = std::map<std::pair<Rank, CallPathId>, Kind>;  // by rank and what started them

  void begin_with_the_run(Timeline& timeline) const;
  void find_threads();
  void find_callers();
  void find_kinds();
  static ThreadLife whole_life(const Timeline& timeline);
  void find_totals();
  static Work usual_of_ranks(const std::vector<Work>& of_ranks);
  CallPathId starter_of(const Thread& thread) const;
  Work work_of(const Thread& thread) const;
  static Work with_samples(Work exact, const Work& samples, double time);
  Work usual_work(CallPathId started_by) const;
  Work longer_than_usual(const Thread& thread, const Work& work) const;
  Work share_of_wait(const Thread& thread, Duration wait, double as_others) const;
  using TimeByGap = std::map<std::pair<std::uint32_t, const Thread*>, Duration>;
  std::pair<Rank, CallPathId> kind_of(Rank rank, const ThreadJoin& join) const;
  static TimeByGap by_gap(const std::vector<Wait>& waits);
  void compare_waits(const std::vector<std::vector<Wait>>& waits);
  Thread* awaited(const ThreadJoin& join);
  std::vector<Wait> waits_of(const Timeline& timeline);
  Thread* add_waits(const ThreadJoin& join, Time until, Thread& joined, std::vector<Wait>& waits);
  void replace_waits_of(Rank rank, Timeline& timeline, const std::vector<Wait>& waits);
  void move_last_stretch(Rank rank, Timeline& timeline, const Wait& wait);
  void copy_last_stretch(Rank rank, Timeline& timeline, const Wait& wait);
  Replacement& replacement_of(Timeline& timeline);
  void tell(Rank rank, const Wait& wait, const Work& work);

  Trace& trace_;
  std::deque<ThreadLife> last_stretches_{};
  std::map<Timeline*, Replacement> replacements_;
  std::unordered_map<std::uint64_t, Thread> threads_{}, wakes_{};  // by number
  Kinds kinds_{};                       // of those that were waited for; where none was, of all
  std::map<CallPathId, Work> usual_{};  // by what started them: of one thread
  // Of all threads that one call started: of each rank, and what is usual.
  std::map<std::pair<Rank, CallPathId>, Work> totals_{};
  std::map<CallPathId, Work> usual_totals_{};
  std::map<std::pair<Rank, CallPathId>, double> as_others_{};  // see compare_waits()
  std::map<std::tuple<Rank, std::uint32_t, CallPathId, CallPathId>, std::size_t>
      told_{};  // rows of the trace
};

}  // namespace waitdiag
