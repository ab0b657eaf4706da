// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/definitions/modules.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "libwaitprof/crash_safe/seen_modules.hpp"
#include "libwaitprof/definitions/elf_notes.hpp"

namespace waitprof::archive {
namespace {

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), std::free);
  return resolved ? resolved.get() : path;
}

// Most modules lie in a few directories, whose paths are asked for once: to the kernel each part of a path is a question
// of its own. Called with the dynamic linker's lock.
const std::string& real_directory(const std::string& directory) {
  static auto& known = *new std::map<std::string, std::string>;
  const auto [found, is_new] = known.try_emplace(directory);
  if (is_new) {
    found->second = real_path(directory);
  }
  return found->second;
}

// The loader knows some modules by a relative path, and the executable by none. Libraries are often links to a file
// beside them.
std::string file_of_module(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string::npos || slash == 0 || name[0] != '/') {
    return real_path(name.empty() ? "/proc/self/exe" : name);
  }
  const std::string& directory = real_directory(name.substr(0, slash));
  std::string path = directory + name.substr(slash);
  char target[NAME_MAX + 1];
  const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
  if (length < 0) {
    return path;
  }
  const std::string_view file(target, static_cast<std::size_t>(length));
  path = directory + "/" + std::string(file);
  const bool is_beside = length <= NAME_MAX && file.find('/') == std::string_view::npos;
  return is_beside && ::readlink(path.c_str(), target, sizeof target) < 0 ? path : real_path(name);
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

bool overlap(const auto& one, const auto& other) {
  return one.begin < other.end && other.begin < one.end;
}
bool overlaps_any(const std::vector<LoadedModules::Segment>& segments, const SeenModule& seen) {
  return std::any_of(segments.begin(), segments.end(),
                     [&](const LoadedModules::Segment& segment) { return overlap(segment, seen); });
}
bool is_same_module(const SeenModule& one, const SeenModule& other) {
  return one.begin == other.begin && one.end == other.end && std::string_view(one.name) == other.name;
}

}  // namespace

LoadedModules::LoadedModules(std::vector<Module> modules, std::vector<Segment> segments)
    : modules_(std::move(modules)), segments_(std::move(segments)) {
  modules_.push_back({});
  std::sort(segments_.begin(), segments_.end(),
            [](const Segment& a, const Segment& b) { return a.begin < b.begin; });
}

std::string LoadedModules::loaded_path(const dl_phdr_info& module) {
  return file_of_module(module.dlpi_name);
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

LoadedModules LoadedModules::of_this_process_so_far() {
  LoadedModules now = of_this_process();
  std::vector<Module> modules = std::move(now.modules_);
  modules.pop_back();
  std::vector<Segment> segments = now.segments_;
  std::vector<SeenModule> gone;
  for (std::uint32_t id = 1; id <= seen_module_count(); ++id) {
    if (const SeenModule& seen = seen_module(id); !overlaps_any(now.segments_, seen)) {
      gone.push_back(seen);
    }
  }
  for (const SeenModule& one : gone) {
    if (std::any_of(gone.begin(), gone.end(), [&](const SeenModule& other) {
          return overlap(one, other) && !is_same_module(one, other);
        })) {
      continue;
    }
    const Module module{file_of_module(one.name), hex_of(one.build_id)};
    const auto known = std::find_if(modules.begin(), modules.end(), [&](const Module& other) {
      return other.path == module.path && other.build_id == module.build_id;
    });
    const auto number = static_cast<std::uint32_t>(known - modules.begin());
    if (known == modules.end()) {
      modules.push_back(module);
    }
    segments.push_back({one.begin, one.end, one.bias, number});
  }
  return {std::move(modules), std::move(segments)};
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
