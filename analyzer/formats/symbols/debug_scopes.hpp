// Code address -> functions, by the debugging information of one module (DWARF): the function around it, and
// those that are inlined there.
//
// libdw's own search needs .debug_aranges, which Clang does not write, and looks into neither modules nor
// procedures for others (Fortran). So functions are listed here, by unit, when the first address in one is
// asked for.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace waitdiag {

class DebugScopes {
 public:
  explicit DebugScopes(Dwfl_Module* module);

  struct Function {
    Dwarf_Die die{};
    const char* module = nullptr;  // the Fortran module that it belongs to
  };
  struct Place {
    std::vector<Function> functions{};  // innermost first: inlined ones, then the one around them, if any
    std::string file{};                 // of the code there, which is the innermost one's
    std::uint32_t line = 0;             // 0: not known
  };
  Place find(Dwarf_Addr address);  // address as in the module; empty if no unit has it

 private:
  struct Range {
    Dwarf_Addr begin = 0, end = 0;
    std::size_t number = 0;  // of the unit, or the function in it
  };
  struct Unit {
    Dwarf_Die die{};
    Dwarf_Addr bias = 0;
    bool listed = false;
    std::vector<Dwarf_Die> functions{};
    std::vector<Range> code{};                             // of its functions, by begin
    std::unordered_map<Dwarf_Off, const char*> modules{};  // of procedures, by their place in the file
  };
  static const Range* around(const std::vector<Range>& ranges, Dwarf_Addr address);
  static void add_ranges(Dwarf_Die* die, std::size_t number, Dwarf_Addr bias, std::vector<Range>& ranges);
  static void sort(std::vector<Range>& ranges);
  static void list_functions(Dwarf_Die* parent, Unit& unit);
  static Function function(const Dwarf_Die& die, const Unit& unit);

  std::vector<Unit> units_;
  std::vector<Range> code_;  // of all units, by begin
};

}  // namespace waitdiag
