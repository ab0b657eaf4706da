// The names of member functions for which debugging information has no symbol: of classes and lambdas that only one
// function knows, and of templates that were made for these.
//
//   "solve::{lambda}"                 the lambda that solve() defines
//   "sweep::Cell::relax"              a member of a class that sweep() defines
//   "std::thread::_Invoker<...>::operator()"
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <elfutils/libdw.h>

#include <string>
#include <unordered_map>

namespace waitdiag {

// The symbol by which the linker knows a function; "" if there is none.
std::string linkage_name(Dwarf_Die* die);

class MemberNames {
 public:
  // "" where it is no member function of C++.
  const std::string& name_of(Dwarf_Die function);

 private:
  std::unordered_map<Dwarf_Off, std::string> known_;  // to find out, all of a unit is looked at
};

}  // namespace waitdiag
