// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/recover/read_journal.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libwaitprof/definitions/blob.hpp"
#include "libwaitprof/definitions/elf_notes.hpp"
#include "libwaitprof/definitions/peers_text.hpp"
#include "libwaitprof/recover/read_excerpts.hpp"
#include "libwaitprof/trace_files/event_file.hpp"

namespace waitprof::archive {
namespace {

using crash_safe::RecordHeader;
using crash_safe::RecordKind;

constexpr std::uint32_t kMostCallPaths = 1U << 20, kMostCommunicators = 1U << 23, kMostRanks = 1U << 24,
                        kMostWindows = 1U << 20, kMostArrays = 1U << 16;

// Reads the data of one record, from the front.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  T take() {
    T value{};
    if (bytes_.size() < sizeof value) {
      good_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }

  std::span<const std::byte> take_bytes(std::uint64_t count) {
    good_ = good_ && count <= bytes_.size();
    const auto taken = bytes_.first(good_ ? count : 0);
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

  std::span<const std::byte> take_rest() { return take_bytes(bytes_.size()); }

  std::string take_text() {
    const auto end = std::find(bytes_.begin(), bytes_.end(), std::byte{0});
    good_ = good_ && end != bytes_.end();
    std::string text(reinterpret_cast<const char*>(bytes_.data()),
                     static_cast<std::size_t>(end - bytes_.begin()));
    bytes_ = bytes_.subspan(std::min(text.size() + 1, bytes_.size()));
    return text;
  }

  std::vector<std::int32_t> take_numbers(std::uint32_t count) {
    const auto bytes = take_bytes(std::uint64_t{count} * sizeof(std::int32_t));
    std::vector<std::int32_t> numbers(bytes.size() / sizeof(std::int32_t));
    if (!numbers.empty()) {
      std::memcpy(numbers.data(), bytes.data(), bytes.size());
    }
    return numbers;
  }

  // All runs together have `most` members at most.
  std::vector<MemberRun> take_runs(std::uint32_t count, std::uint64_t most) {
    std::vector<MemberRun> runs;
    for (std::uint32_t i = 0; i < count && good_; ++i) {
      const auto run = take<crash_safe::MembersRecord>();
      good_ = good_ && run.count <= most;
      most -= good_ ? run.count : 0;
      runs.push_back({run.first, run.step, run.count});
    }
    return runs;
  }

  bool empty() const { return bytes_.empty(); }
  bool good() const { return good_; }
  void refuse() { good_ = false; }

 private:
  std::span<const std::byte> bytes_;
  bool good_ = true;
};

// Does the grid have as many places as the communicator has members?
bool is_grid(const Communicator& communicator) {
  std::uint64_t members = 0, places = 1;
  for (const MemberRun& run : communicator.members) {
    members += run.count;
  }
  for (const std::int32_t dim : communicator.dims) {
    if (dim < 1 || (places *= static_cast<std::uint64_t>(dim)) > members) {
      return false;
    }
  }
  return places == members;
}

class JournalReader {
 public:
  // False: the record makes no sense.
  bool read(RecordKind kind, std::span<const std::byte> data) {
    Fields fields(data);
    switch (kind) {
      case RecordKind::Process:
        read_process(fields);
        break;
      case RecordKind::Calls:
        read_calls(fields);
        break;
      case RecordKind::CallPath:
        read_call_path(fields);
        break;
      case RecordKind::Module:
        read_module(fields);
        break;
      case RecordKind::UserRegion: {
        const auto region = fields.take<crash_safe::UserRegionRecord>();
        tables.user_regions[region.id] = {fields.take_text(), region.address, region.of_library != 0};
        break;
      }
      case RecordKind::LocalRegion:
        tables.local_regions.push_back(fields.take<std::uint32_t>());
        break;
      case RecordKind::CommunicatorCreated:
        tables.created_communicators.push_back(fields.take<std::uint32_t>());
        break;
      case RecordKind::Communicator:
        read_communicator(fields);
        break;
      case RecordKind::CommunicatorName: {
        const auto id = fields.take<std::uint32_t>();
        const std::string name = fields.take_text();
        if (id < tables.communicators.size()) {
          tables.communicators[id].name = name;
        }
        break;
      }
      case RecordKind::Window:
        read_window(fields);
        break;
      case RecordKind::WindowName: {
        const auto id = fields.take<std::uint32_t>();
        const std::string name = fields.take_text();
        if (id < tables.windows.size()) {
          tables.windows[id].name = name;
        }
        break;
      }
      case RecordKind::RankGroup:
        read_rank_group(fields);
        break;
      case RecordKind::PeerList:
        read_peer_list(fields);
        break;
      case RecordKind::Ended: {
        const auto end = fields.take<crash_safe::EndRecord>();
        tables.end = tables.end.value_or(end);
        break;
      }
      case RecordKind::LimitReached:
        tables.limit = fields.take<crash_safe::LimitRecord>();
        break;
      case RecordKind::ClockCompared:
        read_clock(fields);
        break;
      case RecordKind::OtherProcesses:
        tables.other_processes = fields.take<crash_safe::OtherProcessesRecord>();
        break;
      default:
        fields.refuse();
    }
    return fields.good();
  }

  RankTables tables;
  bool named = false;

 private:
  void read_process(Fields& fields) {
    named = from_blob(fields.take_rest(), tables.start) && tables.start.rank.rank < tables.start.world_size &&
            tables.start.world_size <= kMostRanks;
    if (!named) {
      fields.refuse();
    }
  }

  void read_clock(Fields& fields) {
    const auto clock = fields.take<crash_safe::ClockRecord>();
    const std::uint64_t before = tables.clocks.empty() ? tables.start.clock.time : tables.clocks.back().time;
    if (clock.time <= before) {
      return fields.refuse();
    }
    tables.clocks.push_back({clock.time, clock.offset, clock.error});
  }

  void read_calls(Fields& fields) {
    while (fields.good() && !fields.empty()) {
      const auto role = fields.take<std::uint8_t>();
      if (role > static_cast<std::uint8_t>(RegionRole::Allocate)) {
        return fields.refuse();
      }
      tables.calls.emplace_back(static_cast<RegionRole>(role), fields.take_text());
    }
  }

  void read_call_path(Fields& fields) {
    const auto record = fields.take<crash_safe::CallPathRecord>();
    if (record.id == 0 || record.id > kMostCallPaths || record.parent >= record.id) {
      return fields.refuse();
    }
    tables.call_paths.resize(std::max<std::size_t>(tables.call_paths.size(), record.id));
    tables.call_paths[record.id - 1] = {record.parent, record.address, record.exact != 0};
  }

  void read_module(Fields& fields) {
    const auto record = fields.take<crash_safe::ModuleRecord>();
    const std::string build_id = hex_of(fields.take_bytes(record.build_id_bytes));
    tables.segments.push_back(
        {record.begin, record.end, record.bias, static_cast<std::uint32_t>(tables.modules.size())});
    tables.modules.push_back({fields.take_text(), build_id});
  }

  void read_communicator(Fields& fields) {
    const auto record = fields.take<crash_safe::CommunicatorRecord>();
    if (record.id >= kMostCommunicators ||
        record.topology > static_cast<std::uint32_t>(Topology::DistributedGraph)) {
      return fields.refuse();
    }
    Communicator communicator;
    communicator.key = record.key;
    communicator.parent_key = record.parent_key;
    communicator.name = default_communicator_name(record.id);
    communicator.topology = static_cast<Topology>(record.topology);
    communicator.members = fields.take_runs(record.member_runs, tables.start.world_size);
    communicator.remote_members = fields.take_runs(record.remote_runs, tables.start.world_size);
    communicator.dims = fields.take_numbers(record.dims);
    communicator.periods = fields.take_numbers(record.periods);
    set_edges(communicator, static_cast<std::uint32_t>(record.rank), fields.take_numbers(record.edges));
    if (communicator.topology == Topology::Cartesian && !is_grid(communicator)) {
      return fields.refuse();
    }
    put(tables.communicators, record.id, std::move(communicator));
  }

  void read_window(Fields& fields) {
    const auto record = fields.take<crash_safe::WindowRecord>();
    if (record.id >= kMostWindows || record.comm >= tables.communicators.size()) {
      return fields.refuse();
    }
    put(tables.windows, record.id, Window{.key = record.key, .communicator = record.comm, .name = ""});
  }

  void read_rank_group(Fields& fields) {
    const auto record = fields.take<crash_safe::ArrayRecord>();
    const std::vector<std::int32_t> ranks = fields.take_numbers(record.count);
    const auto in_world = [size = tables.start.world_size](std::int32_t rank) {
      return rank >= 0 && static_cast<std::uint32_t>(rank) < size;
    };
    if (!is_array_id(record.id) || !std::ranges::all_of(ranks, in_world)) {
      return fields.refuse();
    }
    put(tables.groups, record.id - 1, RankGroup{runs_of(ranks)});
  }

  void read_peer_list(Fields& fields) {
    const auto record = fields.take<crash_safe::ArrayRecord>();
    std::vector<PeerRun> runs;
    for (std::uint32_t i = 0; i < record.count && fields.good(); ++i) {
      runs.push_back(fields.take<PeerRun>());
    }
    const bool split = fields.good() && !runs.empty() && runs.front().last >= 0 &&
                       static_cast<std::size_t>(runs.front().last) < runs.size();
    if (!is_array_id(record.id) || !split) {
      return fields.refuse();
    }
    put(tables.peer_lists, record.id - 1, peers_text(split_runs(runs)));
  }

  static bool is_array_id(std::uint32_t id) { return id != 0 && id <= kMostArrays; }

  template <class Entry>
  static void put(std::vector<Entry>& table, std::uint32_t place, Entry&& entry) {
    table.resize(std::max<std::size_t>(table.size(), std::size_t{place} + 1));
    table[place] = std::forward<Entry>(entry);
  }
};

}  // namespace

FileView::FileView(const std::string& path) noexcept {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts {};
  if (file < 0 || ::fstat(file, &facts) != 0) {
    error_ = errno;
  } else if (facts.st_size > 0) {
    const auto size = static_cast<std::size_t>(facts.st_size);
    void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    error_ = memory == MAP_FAILED ? errno : 0;
    bytes_ = {static_cast<const std::byte*>(memory), memory == MAP_FAILED ? 0 : size};
    inode_ = facts.st_ino;
  }
  if (file >= 0) {
    ::close(file);
  }
}

FileView::~FileView() {
  if (!bytes_.empty()) {
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
}

std::uint32_t journal_version(std::span<const std::byte> bytes) {
  crash_safe::JournalHeader header;
  if (bytes.size() < sizeof header) {
    return 0;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.mark == crash_safe::kJournalMark ? header.version : 0;
}

std::optional<RankTables> read_journal(std::span<const std::byte> bytes) {
  if (journal_version(bytes) != crash_safe::kVersion) {
    return std::nullopt;
  }
  crash_safe::JournalHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  JournalReader reader;
  for (std::size_t at = sizeof header; at + sizeof(RecordHeader) <= bytes.size();) {
    RecordHeader record;
    std::memcpy(&record, bytes.data() + at, sizeof record);
    at += sizeof record;
    if (record.kind == RecordKind::None || record.bytes > bytes.size() - at ||
        !reader.read(record.kind, bytes.subspan(at, record.bytes))) {
      break;
    }
    at += (std::size_t{record.bytes} + 7) / 8 * 8;
  }
  reader.tables.incomplete = header.incomplete != 0;
  return reader.named ? std::optional(std::move(reader.tables)) : std::nullopt;
}

std::optional<BufferedEvents> read_event_buffer(std::span<const std::byte> bytes,
                                                const CommonExcerpts& common) {
  if (bytes.size() < crash_safe::kEventsOffset) {
    return std::nullopt;
  }
  BufferedEvents buffer{};
  std::memcpy(&buffer.area, bytes.data(), sizeof buffer.area);
  if (buffer.area.mark != crash_safe::kEventsMark || buffer.area.version != crash_safe::kVersion) {
    return std::nullopt;
  }
  buffer.chunk = bytes.subspan(crash_safe::kChunkOffset, kEventChunk);
  const auto all = bytes.subspan(crash_safe::kEventsOffset);
  const auto* const first = reinterpret_cast<const Event*>(all.data());
  const std::size_t most = std::min<std::size_t>(buffer.area.capacity, all.size() / sizeof(Event));
  if (buffer.area.excerpts.count != 0) {
    join_excerpts({first, most}, common, buffer);
    buffer.totals = totals_in(bytes, buffer.area);
    return buffer;
  }
  std::size_t count = 0;
  while (count < most && (first[count].time != 0 || first[count].type != EventType{})) {
    ++count;
  }
  const std::size_t converted = std::min<std::size_t>(buffer.area.progress & 0xffffffff, count);
  buffer.converted = {first, converted};
  buffer.rest = {first + converted, count - converted};
  return buffer;
}

}  // namespace waitprof::archive
