// Reduction operators of the program (MPI_Op_create). MPI calls them inside of a collective operation, where they are
// computation like any other: a rank whose operator takes long is late for those that wait for its result. So such a call
// is written as what it is: an operation that is begun, goes on when the rank is in MPI again, and ends there.
//
//   as it is  Enter MPI_Allreduce ... combine() ... combine() Leave
//   written   Enter MPI_Allreduce, Leave, Enter combine, Leave, Enter MPI_Allreduce, Leave, Enter combine, Leave,
//             Enter MPI_Allreduce, Leave; the operation is begun in the first and completed in the last
//
// A call that completes a nonblocking operation (MPI_Wait) is written in parts, too, and completes it in the last one.
// In other calls, and where operators were many and short, their time is written beside the call: before it, if the
// result was passed on to others; behind it, if it was kept.
// The root of MPI_Reduce keeps all results, the others pass on theirs. Where all get the result, the last one is not passed on
// for the most part; if it was, nobody is blamed for that. The other way round a rank would come later than others left.
//
// MPI is given a function of ours in place of the program's, which calls that and adds up its time. There is one for each
// function, because it is called with nothing that tells them apart; those for which there is none are counted.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "libwaitprof/hooks/call.hpp"

namespace waitprof::hooks {

inline constexpr std::uint64_t kShortestOperator = 20'000;  // ns; less is a part of the call

// A pointer to a function of any type.
class AnyFunction {
 public:
  template <class Function>
  requires std::is_function_v<Function> AnyFunction(Function* function)
  noexcept : address_(reinterpret_cast<void*>(function)) {}
  template <class Function>
  requires std::is_function_v<Function>
  operator Function*() const noexcept { return reinterpret_cast<Function*>(address_); }
  void* address() const noexcept { return address_; }

 private:
  void* address_;
};

struct MakeOperator {
  AnyFunction function;

  void before(const RecordedCall& call) noexcept;
};

}  // namespace waitprof::hooks
