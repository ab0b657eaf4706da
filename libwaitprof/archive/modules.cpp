// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/modules.hpp"

#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>

#include "libwaitprof/archive/elf_notes.hpp"

namespace waitprof::archive {
namespace {

// The loader knows some modules by a relative path, and the executable by none.
std::string absolute_path(const char* name) {
  const char* path = name[0] == '\0' ? "/proc/self/exe" : name;
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path, nullptr), std::free);
  return resolved ? resolved.get() : path;
}

std::string build_id(const dl_phdr_info& info) {
  for (const ElfW(Phdr) & header : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
    if (header.p_type != PT_NOTE) {
      continue;
    }
    const auto* notes = reinterpret_cast<const std::byte*>(info.dlpi_addr + header.p_vaddr);
    std::string id = build_id_in_notes({notes, header.p_memsz}, header.p_align);
    if (!id.empty()) {
      return id;
    }
  }
  return "";
}

}  // namespace

LoadedModules::LoadedModules(std::vector<Module> modules, std::vector<Segment> segments)
    : modules_(std::move(modules)), segments_(std::move(segments)) {
  modules_.push_back({});
  std::sort(segments_.begin(), segments_.end(),
            [](const Segment& a, const Segment& b) { return a.begin < b.begin; });
}

std::string LoadedModules::loaded_path(const dl_phdr_info& module) {
  return absolute_path(module.dlpi_name);
}

LoadedModules LoadedModules::of_this_process(PathOf path_of) {
  struct Found {
    PathOf path_of;
    std::vector<Module> modules;
    std::vector<Segment> segments;
  } found{path_of, {}, {}};
  constexpr auto kAdd = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& all = *static_cast<Found*>(data);
    const auto module = static_cast<std::uint32_t>(all.modules.size());
    const std::string path = all.path_of(*info);
    if (path.empty()) {
      return 0;
    }
    all.modules.push_back({path, build_id(*info)});
    for (const ElfW(Phdr) & header : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
      if (header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0) {
        const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
        all.segments.push_back({begin, begin + header.p_memsz, info->dlpi_addr, module});
      }
    }
    return 0;
  };
  ::dl_iterate_phdr(kAdd, &found);
  return {std::move(found.modules), std::move(found.segments)};
}

LoadedModules::Place LoadedModules::find(std::uintptr_t address) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), address,
                                      [](std::uintptr_t a, const Segment& s) { return a < s.begin; });
  if (after == segments_.begin() || address >= std::prev(after)->end) {
    return {unknown(), 0};
  }
  return {std::prev(after)->module, address - std::prev(after)->bias};
}

std::uintptr_t LoadedModules::bias_of(std::uint32_t module) const {
  const auto segment = std::find_if(segments_.begin(), segments_.end(),
                                    [module](const Segment& s) { return s.module == module; });
  return segment != segments_.end() ? segment->bias : 0;
}

CodePlace LoadedModules::code_place(std::uintptr_t address) const {
  const auto [module, offset] = find(address);
  CodePlace place;
  place.module = module;
  place.offset = offset;
  return place;
}

void CallPathAdder::add(const CallPathNode& node) {
  // A return address is just past the call, perhaps in another line or function; one byte before it is the
  // call itself.
  const std::uintptr_t instruction = node.exact || node.address == 0 ? node.address : node.address - 1;
  auto& places = definitions_.places;
  const auto [place, is_new] = places_.try_emplace(instruction, static_cast<std::uint32_t>(places.size()));
  if (is_new) {
    places.push_back(loaded_.code_place(instruction));
  }
  definitions_.call_paths.push_back({node.parent == 0 ? kNoId : node.parent - 1, place->second});
}

}  // namespace waitprof::archive
