// See call_trees.hpp. The empty asm after each call keeps it from becoming a jump, which leaves no frame.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/libwaitprof/callpath/call_trees.hpp"

#include <alloca.h>
#include <unwind.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "libwaitprof/callpath/call_paths.hpp"

#define FRAME __attribute__((noinline))

namespace waitprof::test {
namespace {

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* addresses) {
  static_cast<std::vector<std::uintptr_t>*>(addresses)->push_back(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

// Keeps an object in memory, and the optimiser from knowing what is in it.
template <typename Object>
void keep(Object& object) {
  asm volatile("" : : "r"(&object) : "memory");
}

FRAME void plain(Chain& chain) {
  follow(chain);
  asm volatile("");
}

// Two of these in a row, with their sizes exchanged, leave the stack of their callee where it was.
std::size_t variable_size(const Chain& chain) {
  return 16 * (1 + (chain.sizes >> (2 * (chain.position % 8)) & 3));
}

FRAME void with_variable_array(Chain& chain) {
  auto* const memory = static_cast<volatile char*>(alloca(variable_size(chain)));
  memory[0] = 1;
  follow(chain);
  memory[1] = 2;
}

FRAME void with_strict_alignment(Chain& chain) {
  alignas(128) std::array<char, 200> aligned{};
  keep(aligned);
  follow(chain);
  keep(aligned);
}

FRAME void with_variable_array_and_alignment(Chain& chain) {
  alignas(64) std::array<char, 64> aligned{};
  auto* const memory = static_cast<volatile char*>(alloca(variable_size(chain)));
  keep(aligned);
  follow(chain);
  memory[0] = aligned[0];
}

FRAME void with_big_frame(Chain& chain) {
  std::array<char, 20000> big;
  keep(big);
  follow(chain);
  keep(big);
}

FRAME void with_all_saved_registers(Chain& chain) {
  std::array<std::uint64_t, 6> values{};
  keep(values);
  std::uint64_t a = values[0], b = values[1], c = values[2], d = values[3], e = values[4], f = values[5];
  follow(chain);
  values = {a + 1, b + 2, c + 3, d + 4, e + 5, f + 6};
  keep(values);
}

FRAME void through_std_function(Chain& chain) {
  const std::function<void(Chain&)> next = [&](Chain& inner) {
    follow(inner);
    asm volatile("");
  };
  next(chain);
  asm volatile("");
}

FRAME void with_recursion(Chain& chain, int levels) {
  if (levels > 0)
    with_recursion(chain, levels - 1);
  else
    follow(chain);
  asm volatile("");
}

FRAME void recursive(Chain& chain) {
  with_recursion(chain, static_cast<int>(chain.position % 4));
  asm volatile("");
}

FRAME void with_exceptions(Chain& chain) {
  try {
    follow(chain);
    if (chain.seen.empty()) throw std::runtime_error("nobody called MPI");
  } catch (const std::runtime_error&) {
    chain.position = 0;
  }
}

FRAME void thrown_through(Chain& chain) {
  follow(chain);
  throw std::length_error("the frames above are not left in order");
}

FRAME void with_thrown_exception(Chain& chain) {
  const std::size_t position = chain.position;
  try {
    thrown_through(chain);
  } catch (const std::length_error&) {
    chain.position = position;
  }
  asm volatile("");
}

// A jump: its frame is gone when the next function runs.
FRAME void by_tail_call(Chain& chain) {
  asm volatile("");
  return plain(chain);
}

thread_local Chain* interrupted;

FRAME void from_a_signal_handler(Chain& chain) {
  interrupted = &chain;
  struct sigaction handler {
  }, before{};
  handler.sa_handler = [](int) { follow(*interrupted); };
  sigemptyset(&handler.sa_mask);
  handler.sa_flags = SA_NODEFER;
  sigaction(SIGUSR1, &handler, &before);
  raise(SIGUSR1);
}

FRAME void from_far_away(Chain& chain) {
  call_back_from_far_away(follow, chain);
  asm volatile("");
}

// The C library in the middle of a path stays there.
FRAME void through_the_c_library(Chain& chain) {
  static thread_local Chain* current;
  current = &chain;
  int numbers[2] = {2, 1};
  qsort(numbers, 2, sizeof(int), [](const void* a, const void* b) {
    follow(*current);
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  });
}

constexpr void (*kinds[])(Chain&) = {
    plain,
    with_variable_array,
    with_strict_alignment,
    with_variable_array_and_alignment,
    with_big_frame,
    with_all_saved_registers,
    through_std_function,
    recursive,
    with_exceptions,
    with_thrown_exception,
    by_tail_call,
    from_far_away,
    through_the_c_library,
    from_a_signal_handler,
};
static_assert(std::size(kinds) == kSignalFrame + 1);

}  // namespace

FRAME void follow(Chain& chain) {
  if (chain.position == chain.kinds.size()) {
    make_mpi_call(chain);
  } else {
    const unsigned kind = chain.kinds[chain.position++];
    kinds[kind % std::size(kinds)](chain);
    --chain.position;
  }
  asm volatile("");
}

FRAME void make_mpi_call(Chain& chain) {
  const Caller caller = WAITPROF_CALLER;
  SeenCall seen;
  seen.path = call_path_of_caller(caller);
  _Unwind_Backtrace(add_frame, &seen.expected);
  while (!seen.expected.empty() && seen.expected.front() != caller.return_address())
    seen.expected.erase(seen.expected.begin());
  chain.seen.push_back(seen);
}

}  // namespace waitprof::test
