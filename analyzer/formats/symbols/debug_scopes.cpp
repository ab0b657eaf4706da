// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/symbols/debug_scopes.hpp"

#include <dwarf.h>

#include <algorithm>

namespace waitdiag {
namespace {

// Calls visit(child) for the entries below one, until it returns false.
template <typename Visit>
void for_each_child(Dwarf_Die* parent, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  do {
    if (!visit(child)) return;
  } while (dwarf_siblingof(&child, &child) == 0);
}

// Entries in which functions may be defined. Member functions are declared in their class, and defined
// elsewhere.
bool holds_functions(int tag) {
  return tag == DW_TAG_module || tag == DW_TAG_namespace || tag == DW_TAG_subprogram ||
         tag == DW_TAG_lexical_block;
}

// The inlined functions from a function down to the address, outermost first.
void add_inlined(Dwarf_Die scope, Dwarf_Addr address, std::vector<Dwarf_Die>& functions) {
  bool deeper = true;
  while (deeper) {
    deeper = false;
    for_each_child(&scope, [&](Dwarf_Die& child) {
      const int tag = dwarf_tag(&child);
      if (tag == DW_TAG_subprogram || dwarf_haspc(&child, address) <= 0) return true;
      if (tag == DW_TAG_inlined_subroutine) functions.push_back(child);
      scope = child;
      deeper = true;
      return false;
    });
  }
}

}  // namespace

DebugScopes::DebugScopes(Dwfl_Module* module) {
  Dwarf_Addr bias = 0;
  for (Dwarf_Die* die = dwfl_module_nextcu(module, nullptr, &bias); die != nullptr;
       die = dwfl_module_nextcu(module, die, &bias)) {
    add_ranges(die, units_.size(), bias, code_);
    units_.push_back({.die = *die, .bias = bias});
  }
  sort(code_);
}

// What the linker left out has addresses near zero, or none.
void DebugScopes::add_ranges(Dwarf_Die* die, std::size_t number, Dwarf_Addr bias,
                             std::vector<Range>& ranges) {
  Dwarf_Addr base = 0, begin = 0, end = 0;
  for (std::ptrdiff_t next = 0; (next = dwarf_ranges(die, next, &base, &begin, &end)) > 0;)
    if (begin != 0 && begin < end) ranges.push_back({begin + bias, end + bias, number});
}

void DebugScopes::sort(std::vector<Range>& ranges) {
  std::ranges::stable_sort(ranges, {}, &Range::begin);
}

const DebugScopes::Range* DebugScopes::around(const std::vector<Range>& ranges, Dwarf_Addr address) {
  const auto behind = std::ranges::upper_bound(ranges, address, {}, &Range::begin);
  if (behind == ranges.begin() || address >= std::prev(behind)->end) return nullptr;
  return &*std::prev(behind);
}

void DebugScopes::list_functions(Dwarf_Die* parent, Unit& unit) {
  const char* const module = dwarf_tag(parent) == DW_TAG_module ? dwarf_diename(parent) : nullptr;
  for_each_child(parent, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (!holds_functions(tag)) return true;
    if (tag == DW_TAG_subprogram) {
      if (module != nullptr) unit.modules.emplace(dwarf_dieoffset(&child), module);
      add_ranges(&child, unit.functions.size(), unit.bias, unit.code);
      unit.functions.push_back(child);
    }
    if (dwarf_haschildren(&child) != 0) list_functions(&child, unit);
    return true;
  });
}

// The abstract instance of a function that may also be inlined lies within its module.
DebugScopes::Function DebugScopes::function(const Dwarf_Die& die, const Unit& unit) {
  Dwarf_Die definition = die;
  Dwarf_Attribute attribute;
  dwarf_formref_die(dwarf_attr(&definition, DW_AT_abstract_origin, &attribute), &definition);
  const auto module = unit.modules.find(dwarf_dieoffset(&definition));
  return {die, module == unit.modules.end() ? nullptr : module->second};
}

DebugScopes::Place DebugScopes::find(Dwarf_Addr address) {
  Place place;
  const Range* const of_unit = around(code_, address);
  if (of_unit == nullptr) return place;
  Unit& unit = units_[of_unit->number];
  if (!unit.listed) {
    unit.listed = true;
    list_functions(&unit.die, unit);
    sort(unit.code);
  }
  if (Dwarf_Line* const entry = dwarf_getsrc_die(&unit.die, address - unit.bias)) {
    int line = 0;
    dwarf_lineno(entry, &line);
    place.line = static_cast<std::uint32_t>(std::max(line, 0));
    if (const char* file = dwarf_linesrc(entry, nullptr, nullptr)) place.file = file;
  }
  if (const Range* const code = around(unit.code, address)) {
    std::vector<Dwarf_Die> found{unit.functions[code->number]};
    add_inlined(found.front(), address - unit.bias, found);
    for (const Dwarf_Die& die : found) place.functions.push_back(function(die, unit));
    std::ranges::reverse(place.functions);
  }
  return place;
}

}  // namespace waitdiag
