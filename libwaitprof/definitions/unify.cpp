// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/definitions/unify.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace waitprof::archive {
namespace {

// The fields that make the identity of a thing, as bytes: things with equal bytes are the same.
class Key {
 public:
  Key& operator<<(std::uint64_t number) {
    text_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  Key& operator<<(const std::string& text) {
    *this << text.size();
    text_ += text;
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string key_of(const Module& module) {
  return (Key() << module.path << module.build_id).take();
}

std::string key_of(const std::string& program) {
  return program;
}

std::string key_of(const Region& region) {
  Key key;
  key << static_cast<std::uint64_t>(region.kind) << region.name;
  return (key << region.place.module << region.place.offset).take();
}

std::string key_of(const CodePlace& place) {
  return (Key() << place.module << place.offset).take();
}

std::string key_of(const RankGroup& group) {
  Key key;
  for (const MemberRun& run : group.members) {
    key << static_cast<std::uint64_t>(run.first) << static_cast<std::uint64_t>(run.step) << run.count;
  }
  return key.take();
}

// Appends `element` to `elements` unless an equal one is there; returns its id.
template <typename Element, typename Ids>
std::uint32_t add_once(Element element, std::vector<Element>& elements, Ids& ids) {
  const auto [entry, is_new] = ids.try_emplace(key_of(element), static_cast<std::uint32_t>(elements.size()));
  if (is_new) {
    elements.push_back(std::move(element));
  }
  return entry->second;
}

std::uint32_t mapped(const std::vector<std::uint32_t>& ids, std::uint32_t id) {
  return id < ids.size() ? ids[id] : kNoId;
}

template <typename T>
void move_to_back(std::vector<T>& from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void merge_member_knowledge(Communicator&& from, Communicator& into) {
  into.has_create_event = into.has_create_event || from.has_create_event;
  if (into.name.empty()) {
    into.name = std::move(from.name);
  }
  move_to_back(from.neighbours, into.neighbours);
}

std::vector<std::uint32_t> compose(const std::vector<std::uint32_t>& first,
                                   const std::vector<std::uint32_t>& second) {
  std::vector<std::uint32_t> both(first.size());
  std::transform(first.begin(), first.end(), both.begin(),
                 [&](std::uint32_t id) { return mapped(second, id); });
  return both;
}

}  // namespace

std::uint32_t Unifier::add_communicator(Communicator&& communicator, std::uint32_t local_id) {
  // The first two are MPI_COMM_WORLD and MPI_COMM_SELF on every rank; self has other members on each rank,
  // but is still one definition.
  constexpr std::uint32_t kPredefined = 2;
  auto& all = unified_.communicators;
  std::uint32_t id = local_id;
  if (local_id >= kPredefined) {
    id = communicators_.try_emplace(communicator.key, static_cast<std::uint32_t>(all.size())).first->second;
  }
  if (id < all.size()) {
    merge_member_knowledge(std::move(communicator), all[id]);
  } else {
    all.push_back(std::move(communicator));
  }
  return id;
}

std::uint32_t Unifier::add_window(Window&& window) {
  const auto id =
      windows_.try_emplace(window.key, static_cast<std::uint32_t>(unified_.windows.size())).first->second;
  if (id == unified_.windows.size()) {
    unified_.windows.push_back(std::move(window));
  } else if (unified_.windows[id].name.empty()) {
    unified_.windows[id].name = std::move(window.name);
  }
  return id;
}

void Unifier::add_call_paths(const Definitions& definitions, const std::vector<std::uint32_t>& modules,
                             std::vector<std::uint32_t>& ids) {
  std::vector<std::uint32_t> places;
  for (CodePlace place : definitions.places) {
    place.module = mapped(modules, place.module);
    places.push_back(add_once(std::move(place), unified_.places, places_));
  }
  auto& all = unified_.call_paths;
  ids.reserve(definitions.call_paths.size());
  for (CallPath path : definitions.call_paths) {
    path.parent = mapped(ids, path.parent);
    path.place = mapped(places, path.place);
    const std::uint64_t key = std::uint64_t{path.parent} << 32 | path.place;
    const auto [entry, is_new] = call_paths_.try_emplace(key, static_cast<std::uint32_t>(all.size()));
    if (is_new) {
      all.push_back(path);
    }
    ids.push_back(entry->second);
  }
}

Definitions Unifier::take() {
  Definitions unified = std::move(unified_);
  *this = {};
  return unified;
}

IdMaps Unifier::add(Definitions&& definitions) {
  IdMaps maps;
  std::vector<std::uint32_t> modules;
  for (Module& module : definitions.modules) {
    modules.push_back(add_once(std::move(module), unified_.modules, modules_));
  }
  for (std::string& text : definitions.texts) {
    maps.texts.push_back(add_once(std::move(text), unified_.texts, texts_));
  }
  for (Region& region : definitions.regions) {
    region.place.module = region.kind == RegionKind::Function ? mapped(modules, region.place.module) : 0;
    maps.regions.push_back(add_once(std::move(region), unified_.regions, regions_));
  }
  add_call_paths(definitions, modules, maps.call_paths);
  for (Communicator& communicator : definitions.communicators) {
    const auto local_id = static_cast<std::uint32_t>(maps.communicators.size());
    maps.communicators.push_back(add_communicator(std::move(communicator), local_id));
  }
  for (Window& window : definitions.windows) {
    window.communicator = mapped(maps.communicators, window.communicator);
    maps.windows.push_back(add_window(std::move(window)));
  }
  for (RankGroup& group : definitions.groups) {
    maps.groups.push_back(add_once(std::move(group), unified_.groups, groups_));
  }
  for (Rank& rank : definitions.ranks) {
    rank.program = mapped(maps.texts, rank.program);
  }
  move_to_back(definitions.ranks, unified_.ranks);
  if (unified_.recording.mpi.empty()) {
    unified_.recording = std::move(definitions.recording);
  }
  unified_.finished = unified_.finished && definitions.finished;
  unified_.world_size = std::max(unified_.world_size, definitions.world_size);
  unified_.longest_table = std::max(unified_.longest_table, definitions.longest_table);
  definitions = {};
  return maps;
}

IdMaps compose(const IdMaps& first, const IdMaps& second) {
  return {compose(first.texts, second.texts),
          compose(first.regions, second.regions),
          compose(first.call_paths, second.call_paths),
          compose(first.communicators, second.communicators),
          compose(first.windows, second.windows),
          compose(first.groups, second.groups),
          second.definition_chunk};
}

std::vector<std::uint64_t> stable_ids(const Definitions& definitions) {
  constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325, kFnvPrime = 0x100000001b3;
  const auto add = [](std::uint64_t hash, std::string_view bytes) {
    for (const char byte : bytes) {
      hash = (hash ^ static_cast<unsigned char>(byte)) * kFnvPrime;
    }
    return hash;
  };
  const auto add_number = [&](std::uint64_t hash, std::uint64_t number) {
    return add(hash, {reinterpret_cast<const char*>(&number), sizeof number});
  };
  std::vector<std::uint64_t> ids;
  ids.reserve(definitions.call_paths.size());
  for (const CallPath& path : definitions.call_paths) {
    const CodePlace& place = definitions.places[path.place];
    const std::string_view file = definitions.modules[place.module].path;
    std::uint64_t hash = path.parent < ids.size() ? ids[path.parent] : kFnvBasis;
    hash = add(hash, file.substr(file.rfind('/') + 1));
    ids.push_back(add_number(hash, place.offset));
  }
  return ids;
}

}  // namespace waitprof::archive
