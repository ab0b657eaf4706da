// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/symbols/member_name.hpp"

#include <dwarf.h>

#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

#include "analyzer/formats/symbols/readable_name.hpp"

namespace waitdiag {
namespace {

constexpr std::string_view kInside = "::", kLambda = "{lambda}";

struct FreeScopes {
  void operator()(Dwarf_Die* scopes) const { std::free(scopes); }
};

std::string_view name_or_empty(Dwarf_Die* die) {
  const char* const name = dwarf_diename(die);
  return name == nullptr ? std::string_view() : name;
}

bool is_in_cplusplus(Dwarf_Die* die) {
  Dwarf_Die unit;
  if (dwarf_diecu(die, &unit, nullptr, nullptr) == nullptr) return false;
  switch (dwarf_srclang(&unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
      return true;
    default:
      return false;
  }
}

// Where it is declared: an inlined function refers to itself as such, and that to its declaration in the class.
Dwarf_Die declaration_of(Dwarf_Die function) {
  for (const unsigned to : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Attribute attribute;
    dwarf_formref_die(dwarf_attr(&function, to, &attribute), &function);
  }
  return function;
}

bool is_class(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

// GCC gives lambdas no name, or that of their type.
bool is_lambda(Dwarf_Die* type, std::string_view function) {
  const std::string_view name = name_or_empty(type);
  return function == "operator()" && (name.empty() || name.starts_with("<lambda"));
}

std::string name_in(std::span<Dwarf_Die> scopes);

// The function, class or namespace with those around it.
std::string qualified(std::span<Dwarf_Die> scopes) {
  if (scopes.empty()) return "";
  Dwarf_Die* const scope = &scopes.front();
  if (dwarf_tag(scope) == DW_TAG_subprogram) {
    const std::string symbol = linkage_name(scope);
    if (!symbol.empty()) return readable_name(symbol);
    const std::string member = name_in(scopes);
    return member.empty() ? std::string(name_or_empty(scope)) : member;
  }
  std::string around = qualified(scopes.subspan(1));
  if (!is_class(scope) && dwarf_tag(scope) != DW_TAG_namespace) return around;
  const std::string_view name = name_or_empty(scope);
  return name.empty() ? around : around + std::string(around.empty() ? "" : kInside) + std::string(name);
}

// Of the function that is the first of the scopes, the others around it; "" if it is no member.
std::string name_in(std::span<Dwarf_Die> scopes) {
  if (scopes.size() < 2 || !is_class(&scopes[1])) return "";
  const std::string_view name = name_or_empty(&scopes[0]);
  const bool lambda = is_lambda(&scopes[1], name);
  const std::string around = qualified(scopes.subspan(lambda ? 2 : 1));
  return around + std::string(around.empty() ? "" : kInside) + std::string(lambda ? kLambda : name);
}

std::string found_name(Dwarf_Die declaration) {
  Dwarf_Die* found = nullptr;
  const int count = dwarf_getscopes_die(&declaration, &found);
  const std::unique_ptr<Dwarf_Die, FreeScopes> scopes(found);
  return count <= 0 ? "" : name_in({found, static_cast<std::size_t>(count)});
}

}  // namespace

std::string linkage_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    if (const char* text = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute))) return text;
  }
  return {};
}

const std::string& MemberNames::name_of(Dwarf_Die function) {
  Dwarf_Die declaration = declaration_of(function);
  const auto [name, is_new] = known_.try_emplace(dwarf_dieoffset(&declaration));
  if (is_new && is_in_cplusplus(&declaration)) name->second = found_name(declaration);
  return name->second;
}

}  // namespace waitdiag
