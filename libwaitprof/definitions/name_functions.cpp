// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/definitions/name_functions.hpp"

#include <optional>
#include <vector>

#include "libwaitprof/definitions/elf_symbols.hpp"

namespace waitprof::archive {
namespace {

std::vector<CodePlace*> nameless_places(std::uint32_t module, Definitions& definitions) {
  std::vector<CodePlace*> places;
  const auto add = [&](CodePlace& place) {
    if (place.module == module && place.function.empty() && place.function_start == 0) {
      places.push_back(&place);
    }
  };
  for (CodePlace& place : definitions.places) {
    add(place);
  }
  for (Region& region : definitions.regions) {
    if (region.kind == RegionKind::Function) {
      add(region.place);
    }
  }
  return places;
}

}  // namespace

void name_functions_in(std::uint32_t module, Definitions& definitions) {
  const Module& file = definitions.modules[module];
  const std::vector<CodePlace*> places = nameless_places(module, definitions);
  if (places.empty() || file.path.empty()) {
    return;
  }
  const std::optional<ElfSymbols> symbols = ElfSymbols::read(file.path, file.build_id);
  for (CodePlace* place : places) {
    const auto function = symbols ? symbols->find(place->offset) : std::nullopt;
    if (function) {
      place->function = function->name;
      place->function_start = function->start;
    }
  }
}

void name_functions(Definitions& definitions) {
  for (std::uint32_t module = 0; module < definitions.modules.size(); ++module) {
    name_functions_in(module, definitions);
  }
}

}  // namespace waitprof::archive
