// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/operator.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

namespace waitprof::hooks {

namespace {

constexpr std::size_t kMostOperators = 256;

// In C and Fortran all arguments are addresses: of the two operands, of their number, of their type.
using Operator = MPI_User_function;

constinit std::array<std::atomic<Operator*>, kMostOperators> operators{};

// Others may leave behind each run that is long. Short ones right behind another are one with it; what stays short
// is a part of the call.
void add_run(OperatorTime& operators, const OperatorTime::Run& run) noexcept {
  operators.last = run.end - run.begin;
  operators.time += operators.last;
  if (operators.count == 0) {
    operators.runs[operators.count++] = run;
    return;
  }
  OperatorTime::Run& before = operators.runs[operators.count - 1];
  const bool is_short = before.end - before.begin < kShortestOperator;
  if (run.begin - before.end < kShortestOperator && (is_short || operators.last < kShortestOperator)) {
    before.end = run.end;
  } else if (is_short) {
    before = run;
  } else if (operators.count < OperatorTime::kMostRuns) {
    operators.runs[operators.count++] = run;
  } else {
    before = {run.begin - (before.end - before.begin), run.end};
  }
}

void operate(Operator* function, void* in, void* in_and_out, int* count, MPI_Datatype* type) {
  ThreadState& thread = this_thread;
  if (!recording() || thread.mpi_depth == 0) return function(in, in_and_out, count, type);
  const std::uint64_t begin = now();
  function(in, in_and_out, count, type);
  add_run(thread.operators, {begin, now()});
  thread.operators.function = reinterpret_cast<std::uintptr_t>(function);
}

// Not noexcept: the program's function may leave by an exception.
template <std::size_t Number>
void timed_operator(void* in, void* in_and_out, int* count, MPI_Datatype* type) {
  operate(operators[Number].load(std::memory_order_relaxed), in, in_and_out, count, type);
}

template <std::size_t... Numbers>
constexpr std::array<Operator*, kMostOperators> timed_operators(std::index_sequence<Numbers...>) {
  return {timed_operator<Numbers>...};
}
constexpr auto kTimedOperators = timed_operators(std::make_index_sequence<kMostOperators>());

// A program may make an operator of one function again and again. kMostOperators: there is no room.
std::size_t number_of_operator(Operator* function) noexcept {
  for (std::size_t number = 0; number < kMostOperators; ++number) {
    Operator* known = nullptr;
    if (operators[number].compare_exchange_strong(known, function) || known == function) return number;
  }
  return kMostOperators;
}

}  // namespace

void MakeOperator::before(const RecordedCall& call) noexcept {
  if (function.address() == nullptr) return;  // MPI says what is wrong with that
  const std::size_t number = number_of_operator(reinterpret_cast<Operator*>(function.address()));
  if (number == kMostOperators) return call.count_untimed_operator();
  function = AnyFunction(kTimedOperators[number]);
}

}  // namespace waitprof::hooks
