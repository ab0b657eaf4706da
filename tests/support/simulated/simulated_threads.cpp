// Threads that ranks start and join.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "tests/support/simulated/simulated_ranks.hpp"

namespace waitdiag::test {
namespace {

constexpr double kCreation = 20, kCall = 5, kShortestRecorded = 50;

}  // namespace

int SimulatedRanks::thread(int rank, Calls calls) {
  const auto number = static_cast<int>(now_.size());
  const auto before = std::ranges::count(threads_, rank, &Thread::rank);
  threads_.push_back({.rank = rank, .thread = static_cast<int>(before), .calls = calls});
  for (auto* const of_all : {&now_, &gap_begin_, &waited_, &processor_}) of_all->push_back(0);
  noise_of_.emplace_back(seed_ * 1000 + at(number) + 250);
  samples_of_.emplace_back(seed_ * 1000 + at(number) + 750);
  next_sample_.push_back(samples_of_.back().fraction() * 10000);
  samples_.emplace_back();
  lost_.emplace_back();
  lines_.emplace_back();
  return number;
}

void SimulatedRanks::tell_thread(int rank, const std::string& what) {
  lines_[at(rank)] += fmt::format("thread {:.0f} {}\n", now(rank), what);
}

// What was computed up to now, without an end of the gap.
void SimulatedRanks::finish_stretch(int rank) {
  close_gap(rank);
  gap_begin_[at(rank)] = now(rank);
}

void SimulatedRanks::start(int thread) {
  Thread& started = threads_[at(thread)];
  const int rank = started.rank;
  started.number = ++started_;
  finish_stretch(rank);
  if (started.calls == Calls::Mpi) {
    line(rank, now(rank), now(rank) + kCall, "main/pthread_create");
    now_[at(rank)] = gap_begin_[at(rank)] = now(rank) + kCall;
  }
  tell_thread(rank, fmt::format("starts {} main", started.number));
  now_[at(thread)] = gap_begin_[at(thread)] = now(rank) + kCreation;
  tell_thread(thread, fmt::format("begins {} work", started.number));
}

// As our recorder tells of it.
void SimulatedRanks::sleep_known(int rank, const std::string& function, double time) {
  if (!sampled(rank)) return compute(rank, function, time, false);
  finish_stretch(rank);
  const double end = std::round(now(rank) + time);
  line(rank, now(rank), end, path(rank, function) + "/usleep/(blocked)");
  now_[at(rank)] = gap_begin_[at(rank)] = end;
}

void SimulatedRanks::block(int thread, const std::string& function, const std::string& call, double time) {
  if (time <= 0) return;
  finish_stretch(thread);
  const double end = std::round(now(thread) + time);
  line(thread, now(thread), end, fmt::format("{}/{}/(blocked)", path(thread, function), call));
  now_[at(thread)] = gap_begin_[at(thread)] = end;
  computed_ += time;
}

void SimulatedRanks::poll_in_vain(int thread, double pause) {
  const int rank = threads_[at(thread)].rank;
  do {
    call(thread, 0, "work", "MPI_Iprobe");
    compute(thread, "rest", pause, false);
  } while (now(thread) < now(rank));
}

void SimulatedRanks::join(int thread) {
  const Thread& joined = threads_[at(thread)];
  const int rank = joined.rank;
  finish_stretch(thread);
  tell_thread(thread, fmt::format("ends {}", joined.number));
  const double leave = std::max(now(rank), now(thread)) + kCall;
  if (leave - now(rank) >= kShortestRecorded) {
    finish_stretch(rank);
    line(rank, now(rank), leave, joined.calls == Calls::Mpi ? "main/join_of_caller" : "main/pthread_join");
    gap_begin_[at(rank)] = leave;
  }
  now_[at(rank)] = leave;
  finish_stretch(rank);
  tell_thread(rank, fmt::format("joined {}", joined.number));
}

// Where several threads of a rank call MPI.
bool SimulatedRanks::is_operation(int from) const {
  return std::ranges::any_of(threads_, [&](const Thread& other) {
    const bool calls = other.calls == Calls::Mpi && other.thread > 0;
    return calls && threads_[at(from)].calls == Calls::Mpi;
  });
}

// As our recorder tells it: only where somebody waits for long, and of threads that call MPI only where several do.
void SimulatedRanks::wake(int from, int to) {
  const bool waits = now(from) - now(to) >= kShortestRecorded, operation = is_operation(from);
  const bool told = operation || threads_[at(from)].calls == Calls::No;
  const int number = waits && told ? ++woken_ : 0;
  finish_stretch(to);
  if (number > 0) {
    finish_stretch(from);
    if (operation) {
      line(from, now(from), now(from) + kCall, path(from, "signal"));
      now_[at(from)] = gap_begin_[at(from)] = now(from) + kCall;
    }
    tell_thread(from, fmt::format("wakes {}", number));
  }
  const bool tells = number > 0 || threads_[at(to)].calls == Calls::No;
  end_wait(to, now(from), operation ? "wait_for_caller" : "pthread_cond_wait", number, tells);
}

void SimulatedRanks::end_wait(int to, double until, const std::string& call, int number, bool tells) {
  const bool waits = until - now(to) >= kShortestRecorded;
  const double leave = std::max(now(to), until) + kCall;
  if (waits) line(to, now(to), leave, path(to, call));
  now_[at(to)] = gap_begin_[at(to)] = leave;
  if (waits && tells) tell_thread(to, fmt::format("woken {}", number));
}

void SimulatedRanks::take_lock(int thread, bool first) {
  finish_stretch(thread);
  if (!first) tell_thread(thread, fmt::format("wakes {}", ++woken_));
}

void SimulatedRanks::hand_lock(int from, int to, bool first) {
  const bool told = now(from) - now(to) >= kShortestRecorded && !first;
  finish_stretch(to);
  finish_stretch(from);
  if (told) tell_thread(from, fmt::format("wakes {}", ++woken_));
  end_wait(to, now(from), "omp_set_lock", told ? woken_ : 0, told || threads_[at(to)].calls == Calls::No);
}

std::string SimulatedRanks::thread_definitions() const {
  if (started_ == 0) return "";
  return "property WAITPROF::SAMPLING_HZ 100\n"
         "region pthread_join library\n"
         "region pthread_create kind thread_sync library\n"
         "region pthread_cond_wait library\n"
         "region omp_set_lock name \"OpenMP lock\" library\n"
         "region signal name \"pthread_cond_signal (wakes a thread)\" kind thread_sync library\n"
         "region wait_for_caller name \"pthread_cond_wait (of a thread that calls MPI)\" kind thread_sync "
         "library\n"
         "region join_of_caller name \"pthread_join (of a thread that calls MPI)\" kind thread_sync "
         "library\n";
}

std::string SimulatedRanks::thread_texts() const {
  std::string text;
  for (std::size_t i = at(ranks()); i < threads_.size(); ++i)
    text += fmt::format("rank {} thread {}\n{}", threads_[i].rank, threads_[i].thread, lines_[i]);
  return text;
}

}  // namespace waitdiag::test
