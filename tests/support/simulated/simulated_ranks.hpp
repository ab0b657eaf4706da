// Message passing simulated call by call: ranks compute, send, receive, take part in collective operations
// along a tree, test for messages, and start threads, which are further numbers wherever a rank can be.
// Gives a trace as text, the end of the run, and how long ranks waited.
//
// Calls may be made in any order in which each call needs only earlier ones. Times are in microseconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace waitdiag::test {

// The same seed gives the same numbers on every machine.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x7F4A7C15u) {}
  double fraction();  // 0 <= f < 1
  int between(int low, int high) { return low + static_cast<int>(fraction() * (high - low + 1)); }
  bool one_in(int n) { return between(1, n) == 1; }

 private:
  std::uint64_t state_;
};

// How a rooted collective operation spreads, from the root on: every member gets the data from its parent.
enum class Tree : std::uint8_t { Flat, Binomial, Binary, Chain };

struct Group {
  std::string communicator;  // empty: all ranks
  std::vector<int> ranks;
};

class SimulatedRanks {
 public:
  // Computation times vary by up to the fraction `noise`. `sampled`: computation is known by samples, on
  // average one every 10 ms of processor time.
  SimulatedRanks(int ranks, std::uint64_t seed, bool sampled, double noise);

  int ranks() const { return ranks_; }
  double now(int rank) const { return now_[at(rank)]; }
  Group everybody() const;
  Group group(const std::string& communicator, std::vector<int> ranks);

  void mark_step(int rank);  // the next one begins
  void compute(int rank, const std::string& function, double time);
  void sleep(int rank, const std::string& function, double time) { compute(rank, function, time, false); }

  // `caller`: the function that makes the call. Threads of one number send to each other.
  void send(int from, int to, const std::string& caller = "main");
  void receive(int to, int from, const std::string& caller = "main", bool any = false);
  double arrival(int to, int from) const { return in_flight_.at({from, to}).front(); }
  // Tests until the message has come, with a pause before each further test.
  void poll(int to, int from, const std::string& pause, double time, bool sleeps);

  // Receives from all others, and polls for any of their messages with `test`, likewise.
  void serve(int to, const std::string& test, const std::string& pause, double time, bool sleeps);

  // The same without requests: probes for any message, and receives it.
  void serve_probing(int to, const std::string& pause, double time, bool sleeps);

  // More ranks than processors: one call in so many takes longer, by up to `longest`.
  void crowd(int one_in, double longest);

  // Another thread has the processor in the next call of this rank: for a share of the time for which it waits there,
  // which delays nobody, and for so long behind that.
  void lose_processor(int rank, double share_of_waiting, double behind);

  // Starts the exchange of one message with each partner; all ranks complete it later.
  void start_exchange(int rank, const std::vector<int>& partners, int bytes = 64);
  void complete_exchange(int rank, const std::vector<int>& partners);
  // Begun by one call that starts persistent requests.
  void start_all(int rank, const std::vector<int>& partners);
  // Of all that was begun, where data moves only while both sides are in MPI.
  void complete_exchanges_inside();

  void meet(const std::string& name, const Group& group, const std::string& caller = "main");
  void spread(const std::string& name, const Group& group, int root, Tree tree);   // one to all
  void collect(const std::string& name, const Group& group, int root, Tree tree);  // all to one
  void start_collective(const std::string& name, int request = 9);
  void complete_collective(bool inside = false,  // goes on only once all are in MPI again
                           int request = 9);

  void scan(const std::string& name);  // each needs those before it
  void scan(const std::string& name, const Group& group);
  void meet_neighbours(
      const std::vector<std::vector<int>>& of_rank);  // each needs those that it gets data of
  void hand_over(int from, int to);                   // large: the sender needs the receiver
  // Parts of operations (simulated_parts.cpp): blocks move on by so many ranks; each fills the memory of the next one
  // after it has worked on its own; persistent requests; broadcasts of which the root starts one after another.
  void shift(int by);
  void put_along(const std::string& window, const std::string& function, double time);
  void start_receives(int rank, const std::vector<int>& partners);
  void start_send(int rank, int partner, int number);
  void start_broadcast(int root, int request);  // and all others, who may do so at once
  void complete_broadcast(int rank, int request);
  void put_to_next(const std::string& window);  // each into the memory of the next one, that it opens
  // In the order in which they come, into the memory of `to`, which only one at a time can lock.
  void put_locked(const std::string& window, int to, const std::string& function,
                  const std::vector<double>& times);
  // Reads and changes memory of `to` under a lock, which is free from `released` on: later, behind this.
  void fetch_locked(const std::string& window, int to, int rank, double& released);

  // Parts of an exchange, or exchanges of a part of the ranks (simulated_exchanges.cpp). `base`: of the numbers of
  // requests, where several are under way.
  void post_receives(int rank, const std::vector<int>& partners, int base = 0);
  void start_sends(int rank, const std::vector<int>& partners, int base = 0);
  void complete_posted(int rank, const std::vector<int>& partners, int base = 0);
  // In the order in which they come, with work on each.
  void complete_any(int rank, const std::vector<int>& partners, const std::string& function, double time);
  void meet_in_graph(const std::string& communicator, const std::vector<std::vector<int>>& to);
  // Nobody knows who sends: until a nonblocking barrier that each starts once its own messages are received.
  void exchange_by_consensus(const std::vector<std::vector<int>>& to, const std::string& pause, double time,
                             bool sleeps);
  void count_up(const std::string& window, int at_rank, int rank);  // a shared counter
  // Each accesses the next one's memory, with work inside that epoch and behind it.
  void put_around(const std::string& window, const std::vector<double>& inside,
                  const std::vector<double>& behind, const std::string& first, const std::string& second);
  void lock_one(const std::string& window, int to, int rank, const std::string& function, double time,
                double& released);
  // Each reads memory of the next one, which answers only while it is in MPI itself; all stay there until the next call
  // that all make.
  void get_from_next(const std::string& window);
  // Waits for one message of each other rank, whichever comes first, and answers it.
  void answer_probed(int to, const std::string& function, double time);
  void answer_probed(int to, const std::vector<int>& clients, const std::string& function, double time);
  // All others read memory of the owner, which answers between parts of its work only, and behind them.
  void get_from_busy(const std::string& window, int owner, int parts, const std::string& function,
                     double time);
  // Tests for a collective operation that all have started: between parts of its work, and then with pauses.
  void test_collective(int rank, int parts, const std::string& function, double time,
                       const std::string& pause, double rest, int request = 9);

  // Reductions with an operator of the program that takes so long on each rank (simulated_reductions.cpp).
  void reduce_to_all(const std::string& function, const std::vector<double>& times);
  void reduce_to(int root, const std::string& function, const std::vector<double>& times);

  // Threads of a rank (simulated_threads.cpp). One that calls no MPI is known by samples, whatever ranks are.
  enum class Calls : std::uint8_t { No, Mpi };
  int thread(int rank, Calls calls = Calls::No);  // its number; it does not run yet
  void start(int thread);
  void block(int thread, const std::string& function, const std::string& call, double time);
  void join(int thread);  // it ends here, and its rank has waited for that
  // Looks for messages that never come, with pauses, until its rank tells it to end.
  void poll_in_vain(int thread, double pause);
  // The other one, of the same rank, goes on when it is told by this one (a condition variable).
  void wake(int from, int to);
  // A thread that calls no MPI takes a lock that others wait for, and lets the other one of its rank have it. Of the first
  // time nobody knows whom the other one waited for.
  void take_lock(int thread, bool first);
  void hand_lock(int from, int to, bool first);

  std::string text() const;
  double seconds() const;
  double waited_seconds() const;
  double computed_seconds() const { return 1e-6 * computed_; }
  double waited_seconds(int rank) const { return 1e-6 * waited_[at(rank)]; }

 private:
  struct Reduction;
  void finish_reduction(int rank, const std::string& what, const std::string& function,
                        const Reduction& done);
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  void compute(int rank, const std::string& function, double time, bool busy);
  void use_processor(int rank, const std::string& function, double time);
  void line(int rank, double begin, double end, const std::string& what);
  void close_gap(int rank);
  // Leaves at the time when everything it needs has arrived, plus its own time.
  void call(int rank, double needed, const std::string& caller, const std::string& what);
  bool sampled(int rank) const { return sampled_ || threads_[at(rank)].calls == Calls::No; }
  std::string path(int rank, const std::string& function) const;
  void tell_thread(int rank, const std::string& what);
  void sleep_known(int rank, const std::string& function, double time);
  void end_wait(int to, double until, const std::string& call, int number, bool tells);
  bool is_operation(int from) const;  // that it wakes another one
  void finish_stretch(int rank);
  std::string thread_definitions() const;
  std::string thread_texts() const;
  double call_cost();
  std::string lost_in(int rank, double waiting, double& leave);
  // The lines of a call that completes the exchange with these partners.
  std::string completion(const std::vector<int>& partners) const;

  // By number. Ranks come first: their own threads.
  struct Thread {
    int rank = 0, thread = 0, number = 0;
    Calls calls = Calls::Mpi;
  };

  bool sampled_;
  int ranks_;
  double noise_;
  std::uint64_t seed_;
  std::vector<Thread> threads_;
  int started_ = 0, woken_ = 0;
  Chance chance_;
  std::vector<Chance> noise_of_, samples_of_;        // by rank: the same whatever others do
  std::vector<double> now_, gap_begin_, waited_;     // by rank
  std::vector<double> processor_, next_sample_;      // by rank: processor time
  std::vector<std::map<std::string, int>> samples_;  // by rank: samples of the gap that is open
  std::map<std::pair<int, int>, std::deque<double>> in_flight_,
      exchanged_;                               // arrivals, by sender and receiver
  std::map<int, double> started_collective_{};  // by request
  struct Lost {
    double share_of_waiting = 0, behind = 0;
  };
  std::vector<Lost> lost_;  // by rank: in its next call
  double longest_stall_ = 0, computed_ = 0;
  int stalled_one_in_ = 0, exchanged_bytes_ = 64;
  std::string groups_;
  std::vector<std::string> lines_;
};

}  // namespace waitdiag::test
