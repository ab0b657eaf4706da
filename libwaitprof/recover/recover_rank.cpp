// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/recover/recover_rank.hpp"

#include <algorithm>
#include <cstring>

#include "libwaitprof/recover/join_event_files.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"
#include "libwaitprof/trace_files/size_limit.hpp"

namespace waitprof::archive {
namespace {

std::string ending_of(const RankTables& tables) {
  if (!tables.end || tables.end->kind == crash_safe::EndKind::LastSession) {
    return "";
  }
  return tables.end->kind == crash_safe::EndKind::Exit ? "exit" : "abort " + std::to_string(tables.end->code);
}

std::uint64_t last_event(const BufferedEvents& buffer) {
  std::uint64_t time = buffer.area.progress != 0 ? buffer.area.last_time : 0;
  for (const auto events : {buffer.converted, buffer.rest}) {
    for (const Event& event : events) {
      const bool call = event.type == EventType::Repeat;
      time = std::max<std::uint64_t>(time, event.time + (call ? event.u.repeat.duration : 0));
    }
  }
  return time;
}

std::uint64_t last_seen(const BufferedEvents& buffer, const RankTables& tables) {
  const std::uint64_t time = std::max(buffer.area.last_seen, last_event(buffer));
  return tables.end && buffer.area.thread == 0 ? std::max(time, tables.end->time) : time;
}

// If the thread was polling when it was killed, its polls are a call that it never left; if it did something
// else after them, they are a complete call.
std::vector<Event> open_row_of(const BufferedEvents& buffer, std::uint64_t end) {
  constexpr std::uint64_t kStillPolling = 50'000'000;  // ns: some ticks of the sampler
  const crash_safe::OpenRow& row = buffer.area.open_row;
  std::vector<Event> events;
  if (row.polls == 0 || buffer.area.excerpts.count != 0 || row.first <= last_event(buffer)) {
    return events;
  }
  const auto add = [&](EventType type, std::uint64_t time) -> Event& {
    return events.emplace_back(event_at(type, time));
  };
  add(EventType::Polls, row.first).u.step = row.polls;
  add(EventType::Enter, row.first).u.region = {row.region, row.call_path};
  if (end > row.judged + kStillPolling) {
    add(EventType::Leave, row.judged).u.region = {row.region, kNoCallPathId};
  }
  return events;
}

}  // namespace

RankRecovery::RankRecovery(RankTables tables, std::string old_files, std::string target)
    : tables_(std::move(tables)),
      old_files_(std::move(old_files)),
      target_(std::move(target)),
      ids_(std::make_unique<LocalIds>()) {
  use_local_ids(*ids_);
  for (const std::uint32_t region : tables_.local_regions) {
    local_region(region);
  }
  for (const std::uint32_t communicator : tables_.created_communicators) {
    note_created(communicator);
  }
  rank_ = tables_.start.rank;
  for (const ClockOffset& clock : tables_.clocks) {
    rank_.clock_error = std::max(rank_.clock_error, clock.error);
  }
  rank_.complete = finished();
  rank_.left_out.dropped_events = finished() ? static_cast<std::uint64_t>(tables_.end->code) : 0;
  rank_.ending = ending_of(tables_);
  rank_.other_jobs.spawned = tables_.other_processes.spawned;
  rank_.other_jobs.connected = tables_.other_processes.connected;
  set_time_of_limit(tables_.limit ? tables_.limit->time : UINT64_MAX);
}

std::string RankRecovery::add_thread(std::uint32_t thread, const std::string& file,
                                     const CommonExcerpts& common) {
  const FileView view(file);
  const std::optional<BufferedEvents> buffer = read_event_buffer(view.bytes(), common);
  if (!buffer || buffer->area.rank != rank_.rank || buffer->area.thread != thread) {
    return file + " is no event buffer of its thread " + std::to_string(thread);
  }
  crash_safe::LeftOut left_out = buffer->area.left_out;
  left_out.dropped_events = finished() ? 0 : left_out.dropped_events;  // already reported at the end
  rank_.left_out += left_out;
  if (buffer->converted.empty() && buffer->rest.empty() && buffer->area.progress == 0) {
    return "";  // killed before its first event
  }
  LocationWriter* const writer = LocationWriter::open(session.directory, rank_.rank, thread);
  if (writer == nullptr) {
    return "no memory for the events of its thread " + std::to_string(thread);
  }
  writer->continue_from(buffer->area, rank_.process);
  const std::uint64_t end = last_seen(*buffer, tables_);
  writer->write(buffer->rest, UINT64_MAX, buffer->joined.empty() ? buffer->converted.size() : 0);
  if (!finished()) {
    writer->write(open_row_of(*buffer, end));
  }
  for (const CallTotals& totals : buffer->totals) {
    writer->write_totals(totals);
  }
  if (!finished()) {
    writer->leave_open(end);
  }
  rank_.complete = rank_.complete && !writer->paused() && rank_.left_out.dropped_events == 0;
  writer->finish();
  std::uint64_t records = writer->events();
  const std::string name = "/" + std::to_string(writer->location()) + ".evt";
  if (buffer->area.progress != 0) {
    const auto known = static_cast<std::uint32_t>(buffer->area.progress >> 32);
    records += put_before({old_files_ + name, buffer->chunk, known}, target_ + "/traces" + name);
  }
  const auto first_offset = static_cast<std::uint64_t>(tables_.start.clock.offset);
  rank_.threads.push_back({thread, records});
  rank_.first_time = std::min(rank_.first_time, std::min(writer->first_time(), end) + first_offset);
  rank_.last_time = std::max(rank_.last_time, end + static_cast<std::uint64_t>(last_offset()));
  rank_.clamped_times += writer->clamped_times();
  if (tables_.limit) {
    stop_rank_at(rank_, tables_.limit->time, tables_.limit->mebibytes, end, last_offset());
  }
  return "";
}

Region RankRecovery::region(const LoadedModules& loaded, std::uint32_t number) const {
  Region definition;
  if (number < tables_.calls.size()) {
    definition.role = tables_.calls[number].first;
    definition.name = tables_.calls[number].second;
    return definition;
  }
  const auto user = tables_.user_regions.find(number);
  const bool function = user != tables_.user_regions.end() && user->second.address != 0;
  if (function) {
    definition.kind = RegionKind::Function;
    definition.place = loaded.code_place(user->second.address);
  } else {
    const bool known = user != tables_.user_regions.end();
    definition.kind = known && user->second.of_library ? RegionKind::Library : RegionKind::Named;
    definition.name = known ? user->second.name : "unknown region";
  }
  return definition;
}

Definitions RankRecovery::definitions() const {
  const LoadedModules loaded(tables_.modules, tables_.segments);
  Definitions definitions;
  definitions.finished = finished();
  definitions.modules = loaded.modules();
  definitions.texts = {tables_.start.program};
  definitions.texts.insert(definitions.texts.end(), tables_.peer_lists.begin(), tables_.peer_lists.end());
  definitions.windows = tables_.windows;
  definitions.groups = tables_.groups;
  for (std::uint32_t local = 0; local < local_region_count(); ++local) {
    definitions.regions.push_back(region(loaded, region_of_local(local)));
  }
  CallPathAdder call_paths(loaded, definitions);
  for (const CallPathNode& node : tables_.call_paths) {
    call_paths.add(node);
  }
  definitions.communicators = tables_.communicators;
  for (std::uint32_t id = 0; id < definitions.communicators.size(); ++id) {
    definitions.communicators[id].has_create_event = was_created(id);
  }
  definitions.ranks = {rank_};
  definitions.world_size = std::max(tables_.start.world_size, rank_.rank + 1);
  definitions.longest_table = std::max(definitions.regions.size(), definitions.call_paths.size());
  definitions.recording = tables_.start.recording;
  return definitions;
}

std::vector<OTF2_LocationRef> RankRecovery::locations() const {
  std::vector<OTF2_LocationRef> locations;
  for (const Thread& thread : rank_.threads) {
    locations.push_back(location_of(rank_.rank, thread.thread));
  }
  return locations;
}

std::vector<ClockOffset> RankRecovery::clocks() const {
  std::vector<ClockOffset> clocks{tables_.start.clock};
  clocks.insert(clocks.end(), tables_.clocks.begin(), tables_.clocks.end());
  ClockOffset end = clocks.back();
  end.time = rank_.last_time - static_cast<std::uint64_t>(end.offset);
  if (end.time > clocks.back().time) {
    clocks.push_back(end);
  }
  return clocks;
}

std::int64_t RankRecovery::last_offset() const {
  return tables_.clocks.empty() ? tables_.start.clock.offset : tables_.clocks.back().offset;
}

}  // namespace waitprof::archive
