// WAITPROF_FILTER_FUNCTIONS: from names to addresses, by the symbol tables of the modules that were compiled
// with -finstrument-functions.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwaitprof/archive/archive.hpp"
#include "libwaitprof/archive/guarded.hpp"
#include "libwaitprof/definitions/elf_symbols.hpp"
#include "libwaitprof/definitions/modules.hpp"
#include "libwaitprof/regions/region_filter.hpp"
#include "libwaitprof/surroundings/quiet_section.hpp"

namespace waitprof::archive {
namespace {

// gfortran's "__grid_MOD_halo" is grid::halo to its author, "solve_" is solve; "" for others.
std::string fortran_name(std::string_view symbol) {
  constexpr std::string_view kBefore = "__", kBetween = "_MOD_";
  const std::size_t between = symbol.find(kBetween);
  if (symbol.starts_with(kBefore) && between != symbol.npos) {
    const std::string_view module = symbol.substr(kBefore.size(), between - kBefore.size());
    return std::string(module) + "::" + std::string(symbol.substr(between + kBetween.size()));
  }
  return std::string(symbol.ends_with('_') ? symbol.substr(0, symbol.size() - 1) : "");
}

std::string cpp_name(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && name ? name.get() : "";
}

bool is_left_out(std::string_view symbol) {
  const std::string as_linked(symbol);
  const std::string as_written =
      symbol.starts_with("_Z") ? cpp_name(as_linked.c_str()) : fortran_name(symbol);
  return is_filtered_symbol(as_linked.c_str(), as_written.c_str());
}

std::vector<std::uintptr_t> functions_left_out() {
  std::vector<std::uintptr_t> addresses;
  const LoadedModules loaded = LoadedModules::of_this_process();
  for (std::uint32_t number = 0; number < loaded.unknown(); ++number) {
    const Module& module = loaded.modules()[number];
    const std::optional<ElfSymbols> symbols = ElfSymbols::read(module.path, module.build_id);
    if (!symbols || !symbols->mentions("__cyg_profile_func_enter")) {
      continue;
    }
    for (const ElfSymbols::Function& function : symbols->functions()) {
      if (is_left_out(function.name)) {
        addresses.push_back(loaded.bias_of(number) + function.start);
      }
    }
  }
  return addresses;
}

}  // namespace

void apply_function_filter() noexcept {
  if (*function_filter() == '\0') {
    return;
  }
  guarded("filtering functions", [] {
    const QuietSection quiet;
    return filter_functions(functions_left_out());
  });
}

}  // namespace waitprof::archive
