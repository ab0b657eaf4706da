// Paraver's three text files. NAME.prv: a header, then records by time: states (1:...:begin:end:state),
// events (2:...:time:type:value) and communications (3:sender...:receiver...:bytes:tag); a thread is always
// given as processor:application:task:thread, counted from 1. NAME.pcf names states, types and values,
// NAME.row the threads. The types of MPI calls and of the functions in between are those of Extrae, so that
// Paraver's own views work. Format: "Paraver trace file description" (BSC).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <stdexcept>

#include "analyzer/writers/exports/lane_slices.hpp"

namespace waitdiag {
namespace {

enum class State : std::uint8_t { Running = 1, Waiting = 3, Mpi = 15 };

enum EventType : std::uint32_t {
  kPointToPoint = 50000001,
  kCollective = 50000002,
  kOtherMpi = 50000003,
  kFunction = 60000019,
  kPattern = 91000001,
  kCausedByFunction = 91000002,
  kCausedByRank = 91000003,
};

std::uint32_t type_of(CallKind kind) {
  if (kind >= CallKind::Send && kind <= CallKind::Iprobe) return kPointToPoint;
  if (kind >= CallKind::Barrier && kind <= CallKind::Scan) return kCollective;
  return kOtherMpi;
}

// One line of the .prv file. A communication names the second thread as well.
struct Record {
  std::int64_t time = 0, end = 0;  // ns since the begin of the selection
  std::uint32_t lane = 0, other_lane = 0;
  std::uint64_t first = 0;  // state; type of the event; bytes
  std::int64_t second = 0;  // value of the event; tag
  enum class Kind : std::uint8_t { State = 1, Event, Communication } kind = Kind::State;
};

// The task, thread and node of a lane.
struct Place {
  std::size_t task = 0, thread = 0, node = 0, processor = 0;  // from 1 on
};

// Tasks are the selected ranks, nodes appear in the order of their first rank, and every thread has a
// processor of its own.
class Places {
 public:
  explicit Places(const ExportView& view) : view_(view) {
    std::map<Rank, std::size_t> tasks;
    for (const PageSelection::Lane& lane : view.selection.lanes) {
      const LocationInfo& info = view.trace.locations()[index(lane.location)];
      const std::size_t node = nodes_.try_emplace(info.node, nodes_.size()).first->second;
      const auto [task, added] = tasks.try_emplace(info.rank, tasks.size());
      if (added) threads_.push_back({node, 0});
      places_.push_back({task->second + 1, ++threads_[task->second].second, node + 1, 0});
    }
    per_node_.resize(nodes_.size());
    for (const Place& place : places_) ++per_node_[place.node - 1];
    std::vector<std::size_t> next(nodes_.size());
    std::exclusive_scan(per_node_.begin(), per_node_.end(), next.begin(), std::size_t{1});
    for (Place& place : places_) place.processor = next[place.node - 1]++;
  }

  std::string thread(std::uint32_t lane) const {
    const Place& place = places_[lane];
    return fmt::format("{}:1:{}:{}", place.processor, place.task, place.thread);
  }
  std::string header(std::int64_t duration) const {
    std::string tasks, processors;
    for (const std::size_t count : per_node_)
      processors += fmt::format("{}{}", processors.empty() ? "" : ",", count);
    for (const auto& [node, count] : threads_)
      tasks += fmt::format("{}{}:{}", tasks.empty() ? "" : ",", count, node + 1);
    return fmt::format("#Paraver (01/01/2000 at 00:00):{}_ns:{}({}):1:{}({})", duration, nodes_.size(),
                       processors, threads_.size(), tasks);
  }
  void write_rows(std::ostream& out) const {
    fmt::print(out, "LEVEL TASK SIZE {}\n", threads_.size());
    for (std::size_t lane = 0; lane < places_.size(); ++lane)
      if (places_[lane].thread == 1) fmt::print(out, "rank {}\n", index(info(lane).rank));
    fmt::print(out, "\nLEVEL THREAD SIZE {}\n", places_.size());
    for (std::size_t lane = 0; lane < places_.size(); ++lane)
      fmt::print(out, "rank {}{}\n", index(info(lane).rank),
                 info(lane).thread == 0 ? "" : fmt::format(" thread {}", info(lane).thread));
  }

 private:
  const LocationInfo& info(std::size_t lane) const {
    return view_.trace.locations()[index(view_.selection.lanes[lane].location)];
  }

  const ExportView& view_;
  std::map<std::string, std::size_t> nodes_;
  std::vector<std::pair<std::size_t, std::size_t>> threads_;  // by task: its node, how many threads
  std::vector<Place> places_;                                 // by lane
  std::vector<std::size_t> per_node_;                         // threads
};

class Records {
 public:
  explicit Records(const ExportView& view) : view_(view) {
    for (lane_ = 0; lane_ < view.selection.lanes.size(); ++lane_) add_lane(view.selection.lanes[lane_]);
    for (const PageSelection::Lane& lane : view.selection.lanes) add_messages(lane.location);
    std::stable_sort(records_.begin(), records_.end(),
                     [](const Record& a, const Record& b) { return a.time < b.time; });
  }

  void write(const Places& places, std::ostream& out) const {
    for (const Record& record : records_) {
      const std::string thread = places.thread(record.lane);
      switch (record.kind) {
        case Record::Kind::State:
          fmt::print(out, "1:{}:{}:{}:{}\n", thread, record.time, record.end, record.first);
          break;
        case Record::Kind::Event:
          fmt::print(out, "2:{}:{}:{}:{}\n", thread, record.time, record.first, record.second);
          break;
        case Record::Kind::Communication:
          fmt::print(out, "3:{}:{}:{}:{}:{}:{}:{}:{}\n", thread, record.time, record.time,
                     places.thread(record.other_lane), record.end, record.end, record.first, record.second);
      }
    }
  }

 private:
  std::int64_t time(Time when) const { return (when - view_.selection.begin).count(); }
  std::int64_t value(CallPathId path) const {
    return path == kNoCallPath ? 0 : index(view_.trace.call_paths()[index(path)].region) + 1;
  }
  void state(Time begin, Time end, State state) {
    if (begin < end)
      records_.push_back(
          {time(begin), time(end), static_cast<std::uint32_t>(lane_), 0, static_cast<std::uint64_t>(state)});
  }
  void event(Time when, std::uint32_t type, std::int64_t value) {
    records_.push_back(
        {time(when), 0, static_cast<std::uint32_t>(lane_), 0, type, value, Record::Kind::Event});
  }

  void add_lane(const PageSelection::Lane& lane) {
    for_each_slice(
        view_, lane,
        [this](Time begin, Time end, CallPathId path) {
          state(begin, end, State::Running);
          event(begin, kFunction, value(path));
          event(end, kFunction, 0);
        },
        [this, &lane](std::uint32_t op, Time enter, Time leave, const std::vector<LaneWait>& waits) {
          const CallPathId path = view_.trace.timeline(lane.location).call_path(op);
          const std::uint32_t type = type_of(view_.trace.region(path).kind);
          event(enter, type, value(path));
          Time from = enter;
          for (const LaneWait& wait : waits) {
            add_wait(wait);
            from = wait.end;
          }
          state(from, leave, State::Mpi);
          event(leave, type, 0);
        });
  }

  void add_wait(const LaneWait& wait) {
    state(wait.begin, wait.end, State::Waiting);
    const bool known = wait.culprit.call_path != kNoCallPath;
    const std::int64_t rank =
        known ? static_cast<std::int64_t>(view_.trace.rank(wait.culprit.location)) + 1 : 0;
    for (const auto& [type, value] :
         {std::pair{kPattern, static_cast<std::int64_t>(wait.wait->pattern) + 1},
          std::pair{kCausedByFunction, value(wait.culprit.call_path)}, std::pair{kCausedByRank, rank}}) {
      event(wait.begin, type, value);
      event(wait.end, type, 0);
    }
  }

  void add_messages(Location receiver) {
    for (const Message& message : view_.diagnosis.sync.received_by(receiver)) {
      const MessageEnd &send = send_end(view_.trace, message), &receive = receive_end(view_.trace, message);
      const OpRef from{message.sender, send.posted}, to{receiver, receive.completed};
      if (!from.valid() || !to.valid() || view_.selection.place(from) == kNoOp ||
          view_.selection.place(to) == kNoOp)
        continue;
      if (send.time < view_.selection.begin || receive.time > view_.selection.end) continue;
      records_.push_back({time(send.time), time(receive.time), view_.selection.lane_of[index(message.sender)],
                          view_.selection.lane_of[index(receiver)], receive.bytes, receive.tag,
                          Record::Kind::Communication});
    }
  }

  const ExportView& view_;
  std::vector<Record> records_;
  std::size_t lane_ = 0;
};

void write_names(const ExportView& view, std::ostream& out) {
  out << "DEFAULT_OPTIONS\n\nLEVEL THREAD\nUNITS NANOSEC\nLOOK_BACK 100\nSPEED 1\nFLAG_ICONS ENABLED\n"
         "YMAX_SCALE 18\n\nSTATES\n0 Idle\n1 Computing\n3 Waiting\n15 In MPI\n\n"
         "STATES_COLOR\n0 {117,195,255}\n1 {0,0,255}\n3 {255,0,0}\n15 {192,224,0}\n";
  const auto type = [&out](std::uint32_t number, const char* title) {
    fmt::print(out, "\nEVENT_TYPE\n0 {} {}\n", number, title);
  };
  const auto values = [&](auto chosen) {
    out << "VALUES\n0 End\n";
    for (std::size_t region = 0; region < view.trace.regions().size(); ++region)
      if (chosen(view.trace.regions()[region]))
        fmt::print(out, "{} {}\n", region + 1, view.trace.regions()[region].name);
  };
  for (const auto& [number, title] :
       {std::pair{kPointToPoint, "MPI Point-to-point"}, std::pair{kCollective, "MPI Collective Comm"},
        std::pair{kOtherMpi, "MPI Other"}}) {
    type(number, title);
    values([number = number](const Region& region) {
      return region.operation() && type_of(region.kind) == number;
    });
  }
  type(kFunction, "User function");
  values([](const Region& region) { return !region.operation(); });
  type(kPattern, "Wait pattern");
  out << "VALUES\n0 End\n";
  for (std::size_t id = 0; id < wait_patterns().size(); ++id)
    fmt::print(out, "{} {}\n", id + 1, wait_patterns()[id]->title);
  type(kCausedByFunction, "Wait caused by function");
  values([](const Region&) { return true; });
  type(kCausedByRank, "Wait caused by rank (plus 1)");
}

}  // namespace

void write_paraver(const ExportView& view, const std::filesystem::path& file) {
  const auto write = [&file](const char* extension, auto print) {
    std::filesystem::path name = file;
    std::ofstream out(name.replace_extension(extension), std::ios::binary);
    print(out);
    if (!out.flush())
      throw std::runtime_error(fmt::format(
          "cannot write {}: check that its directory exists, is writable and has space left", name.string()));
  };
  const Places places(view);
  write(".prv", [&](std::ostream& out) {
    out << places.header((view.selection.end - view.selection.begin).count()) << '\n';
    Records(view).write(places, out);
  });
  write(".pcf", [&](std::ostream& out) { write_names(view, out); });
  write(".row", [&](std::ostream& out) { places.write_rows(out); });
}

}  // namespace waitdiag
