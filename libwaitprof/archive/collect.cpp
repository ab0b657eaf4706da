// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/collect.hpp"

#include <algorithm>
#include <span>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/definitions/name_functions.hpp"
#include "libwaitprof/definitions/peers_text.hpp"
#include "libwaitprof/definitions/program_name.hpp"
#include "libwaitprof/definitions/recording_facts.hpp"
#include "libwaitprof/generated/calls.hpp"
#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/handles/peer_lists.hpp"
#include "libwaitprof/handles/requests.hpp"
#include "libwaitprof/handles/windows.hpp"
#include "libwaitprof/records/local_ids.hpp"
#include "libwaitprof/records/location_writer.hpp"
#include "libwaitprof/regions/open_regions.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/trace_files/size_limit.hpp"

namespace waitprof::archive {
namespace {

Region region_definition(const LoadedModules& loaded, std::uint32_t region) {
  Region definition;
  if (region < kCallCount) {
    definition.kind = RegionKind::Mpi;
    definition.role = kCalls[region].role;
    definition.name = kCalls[region].name;
    return definition;
  }
  const UserRegion user = user_region(region);
  if (user.name != nullptr) {
    definition.kind = user.of_library ? RegionKind::Library : RegionKind::Named;
    definition.name = user.name;
  } else {
    definition.kind = RegionKind::Function;
    definition.place = loaded.code_place(user.address);
  }
  return definition;
}

void add_regions(Definitions& definitions, const LoadedModules& loaded) {
  for (std::uint32_t local = 0; local < local_region_count(); ++local) {
    definitions.regions.push_back(region_definition(loaded, region_of_local(local)));
  }
}

void add_call_paths(Definitions& definitions, const LoadedModules& loaded) {
  definitions.call_paths.reserve(call_path_count());
  CallPathAdder call_paths(loaded, definitions);
  for (std::uint32_t id = 1; id <= call_path_count(); ++id) {
    call_paths.add(call_path_node(id));
  }
}

std::vector<std::int32_t> copy_of(std::span<const int> numbers) {
  return {numbers.begin(), numbers.end()};
}

Communicator communicator_definition(std::uint32_t id) {
  const waitprof::Communicator& from = communicator(id);
  Communicator to;
  to.key = from.key;
  to.parent_key = from.parent_key;
  to.has_create_event = was_created(id);
  to.members = runs_of(from.members);
  to.remote_members = runs_of(from.remote_members);
  to.name = from.name != nullptr ? from.name : default_communicator_name(id);
  to.topology = static_cast<Topology>(from.topology);
  to.dims = copy_of(from.dims);
  to.periods = copy_of(from.periods);
  set_edges(to, static_cast<std::uint32_t>(from.rank), copy_of(from.edges));
  return to;
}

Rank rank_definition(std::int64_t clock_offset) {
  Rank rank = this_rank();
  rank.call_cost = world.call_cost;
  rank.poll_cost = world.poll_cost;
  rank.start_cost = world.start_cost;
  rank.start_ran = world.start_ran;
  rank.truncated_call_paths = truncated_call_paths();
  rank.lost_call_paths = lost_call_paths();
  rank.lost_regions = lost_regions();
  rank.regions_without_mpi = regions_without_mpi();
  for (const LocationWriter* writer = LocationWriter::all(); writer != nullptr; writer = writer->next()) {
    rank.threads.push_back({writer->thread(), writer->events()});
    rank.clamped_times += writer->clamped_times();
    rank.left_out.dropped_events += writer->lost_events();
    rank.complete = rank.complete && writer->whole() && !writer->paused();
    if (writer->last_time() != 0) {
      const auto offset = static_cast<std::uint64_t>(clock_offset);
      rank.first_time = std::min(rank.first_time, writer->first_time() + offset);
      rank.last_time = std::max(rank.last_time, writer->last_time() + offset);
    }
  }
  std::sort(rank.threads.begin(), rank.threads.end(),
            [](const Thread& a, const Thread& b) { return a.thread < b.thread; });
  for (const ThreadState* thread = thread_list(); thread != nullptr; thread = thread->next) {
    rank.left_out += thread->left_out;
  }
  rank.complete = rank.complete && rank.left_out.dropped_events == 0 && rank.left_out.untracked == 0 &&
                  rank.left_out.lost_handles == 0 && !any_end_missed();
  if (const std::uint64_t time = time_of_limit(); time != UINT64_MAX) {
    stop_rank_at(rank, time, static_cast<std::uint64_t>(settings.limit_mib), now(), clock_offset);
  }
  return rank;
}

bool among(const std::vector<Module>& modules, const Module& wanted) {
  return std::any_of(modules.begin(), modules.end(), [&](const Module& module) {
    return module.path == wanted.path && module.build_id == wanted.build_id;
  });
}

}  // namespace

Definitions collect_definitions(const LoadedModules& loaded, const std::vector<Module>& at_rank_0,
                                std::int64_t clock_offset) {
  Definitions definitions;
  definitions.modules = loaded.modules();
  definitions.texts.push_back(program_name());
  for (std::uint32_t id = 1; id <= peer_list_count(); ++id) {
    definitions.texts.push_back(peers_text(peer_list(id)));
  }
  add_regions(definitions, loaded);
  add_call_paths(definitions, loaded);
  for (std::uint32_t id = 0; id < communicator_count(); ++id) {
    definitions.communicators.push_back(communicator_definition(id));
  }
  for (std::uint32_t id = 0; id < window_count(); ++id) {
    const waitprof::Window& from = window(id);
    definitions.windows.push_back({from.key, from.comm, from.name != nullptr ? from.name : ""});
  }
  for (std::uint32_t id = 1; id <= rank_group_count(); ++id) {
    definitions.groups.push_back({runs_of(rank_group(id))});
  }
  for (std::uint32_t module = 0; module < loaded.unknown(); ++module) {
    if (!among(at_rank_0, definitions.modules[module])) {
      name_functions_in(module, definitions);
    }
  }
  Rank rank = rank_definition(clock_offset);
  rank.unknown_frames = static_cast<std::uint64_t>(std::count_if(
      definitions.call_paths.begin(), definitions.call_paths.end(),
      [&](const CallPath& path) { return definitions.places[path.place].module == loaded.unknown(); }));
  definitions.ranks.push_back(std::move(rank));
  definitions.world_size = static_cast<std::uint32_t>(world.size);
  definitions.recording = recording_facts();
  definitions.longest_table = std::max(definitions.regions.size(), definitions.call_paths.size());
  return definitions;
}

}  // namespace waitprof::archive
