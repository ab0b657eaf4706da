// Machine files: TOML, every complaint with the line and column it is about.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <toml++/toml.h>
#include <algorithm>
#include <initializer_list>
#include <optional>

#include "analyzer/machine/machine.hpp"
#include "analyzer/machine/units_of_measure.hpp"
#include "analyzer/model/trace_error.hpp"

namespace waitdiag {
namespace {

constexpr double kMostUnits = 1 << 24;

// One table of the file, and where it lies.
class Section {
 public:
  Section(const toml::table& table, const std::string& source) : table_(table), source_(source) {}

  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    const toml::source_position place = node.source().begin;
    throw TraceError(source_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " +
                     what);
  }
  [[noreturn]] void fail(const std::string& what) const { fail(table_, what); }

  void allow(std::initializer_list<std::string_view> names) const {
    for (const auto& [key, value] : table_) {
      if (std::find(names.begin(), names.end(), key.str()) != names.end()) continue;
      std::string known;
      for (const std::string_view name : names) known += (known.empty() ? "" : ", ") + std::string(name);
      fail(value, "nothing here is called " + std::string(key.str()) + "; known are " + known);
    }
  }

  bool says(std::string_view name, std::string_view word) const {
    const toml::node* const node = table_.get(name);
    return node != nullptr && node->is_string() && node->ref<std::string>() == word;
  }
  void text(std::string_view name, std::string& value) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    if (!node->is_string()) fail(*node, std::string(name) + " is a text in quotes");
    value = node->ref<std::string>();
  }
  void number(std::string_view name, double& value, double least, double most) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    const auto found = node->value<double>();
    if (!node->is_number() || !found || !(*found >= least && *found <= most))
      fail(*node, std::string(name) + " is a number from " + shown(least) + " to " + shown(most));
    value = *found;
  }
  void whole(std::string_view name, std::uint32_t& value, double least) const {
    double number_value = value;
    number(name, number_value, least, kMostUnits);
    const toml::node* const node = table_.get(name);
    if (node != nullptr && !node->is_integer()) fail(*node, std::string(name) + " is a whole number");
    value = static_cast<std::uint32_t>(number_value);
  }
  void time(std::string_view name, double& value) const {
    measure(name, value, nanoseconds_of, "a time such as \"1.5 us\"");
  }
  void bytes(std::string_view name, std::uint64_t& value) const {
    const toml::node* const node = table_.get(name);
    if (node != nullptr && node->is_string() && node->ref<std::string>() == "unlimited") {
      value = UINT64_MAX;
      return;
    }
    constexpr double kMost = 1e18;
    double amount = static_cast<double>(value);
    if (node != nullptr && node->is_integer()) {
      number(name, amount, 0, kMost);
    } else {
      measure(name, amount, bytes_of, "a number of bytes such as 1024 or \"64 KiB\", or \"unlimited\"");
    }
    if (node != nullptr) value = static_cast<std::uint64_t>(std::min(amount, kMost));
  }
  // A bandwidth, as time per byte.
  void bandwidth(std::string_view name, double& ns_per_byte) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    if (node->is_string() && node->ref<std::string>() == "unlimited") {
      ns_per_byte = 0;
      return;
    }
    double rate = 0;
    measure(name, rate, bytes_per_second_of, "a bandwidth such as \"10 GB/s\", or \"unlimited\"");
    if (rate <= 0) fail(*node, std::string(name) + " must be more than 0");
    ns_per_byte = 1e9 / rate;
  }
  template <typename Value>
  void choice(std::string_view name, Value& value,
              std::initializer_list<std::pair<std::string_view, Value>> choices) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    std::string words;
    for (const auto& [word, meaning] : choices) {
      if (node->is_string() && node->ref<std::string>() == word) {
        value = meaning;
        return;
      }
      words += (words.empty() ? "" : ", ") + std::string(word);
    }
    fail(*node, std::string(name) + " is one of " + words);
  }
  // Calls visit(section) for every table of the array `name`.
  template <typename Visit>
  void each(std::string_view name, Visit visit) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    const toml::array* const array = node->as_array();
    if (array == nullptr || !array->is_array_of_tables())
      fail(*node, std::string(name) + " is a list of tables: write [[" + std::string(name) + "]]");
    for (const toml::node& entry : *array) visit(Section(*entry.as_table(), source_));
  }

 private:
  static std::string shown(double number) {
    return number == static_cast<double>(static_cast<long long>(number))
               ? std::to_string(static_cast<long long>(number))
               : std::to_string(number);
  }
  void measure(std::string_view name, double& value, std::optional<double> (*parse)(std::string_view),
               const char* what) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    const auto amount = node->is_string() ? parse(node->ref<std::string>()) : std::nullopt;
    if (!amount) fail(*node, std::string(name) + " is " + what);
    value = *amount;
  }

  const toml::table& table_;
  const std::string& source_;
};

template <typename Entry>
void check_order(const Section& section, const std::vector<Entry>& entries, const char* what) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i == 0 ? entries[i].from != 0 : entries[i].from <= entries[i - 1].from)
      section.fail(std::string("the intervals of ") + what + " start at from = 0 and ascend; number " +
                   std::to_string(i + 1) + " does not");
  }
}

MachineLevel level_of(const Section& section, bool outermost) {
  section.allow({"name", "units", "channels", "bandwidth", "latency", "sharing", "opposite", "interval"});
  MachineLevel level;
  section.text("name", level.name);
  section.whole("units", level.units, 1);
  section.whole("channels", level.channels, 1);
  section.choice<Sharing>(
      "sharing", level.sharing,
      {{"duplex", Sharing::Duplex}, {"half", Sharing::Half}, {"bus", Sharing::Bus}, {"none", Sharing::None}});
  section.number("opposite", level.opposite, 0, 1);
  if (level.name.empty()) section.fail("a level needs a name, such as \"node\"");
  if (level.units == 0 && !outermost)
    section.fail("level " + level.name + " needs units: how many of it are in one unit of the level outside");
  SizeInterval all;
  section.bandwidth("bandwidth", all.ns_per_byte);
  level.channel_ns_per_byte = all.ns_per_byte;
  section.time("latency", all.latency_ns);
  section.each("interval", [&](const Section& entry) {
    entry.allow({"from", "latency", "bandwidth"});
    SizeInterval interval = all;
    interval.from = 0;
    entry.bytes("from", interval.from);
    entry.time("latency", interval.latency_ns);
    entry.bandwidth("bandwidth", interval.ns_per_byte);
    level.intervals.push_back(interval);
  });
  check_order(section, level.intervals, level.name.c_str());
  if (level.intervals.empty()) level.intervals.push_back(all);
  if (level.channel_ns_per_byte == 0) {
    level.channel_ns_per_byte = level.intervals.front().ns_per_byte;
    for (const SizeInterval& interval : level.intervals)
      level.channel_ns_per_byte = std::min(level.channel_ns_per_byte, interval.ns_per_byte);
  }
  return level;
}

MessageOverhead message_overhead_of(const Section& section) {
  section.allow(
      {"from", "send", "isend", "receive", "send_bandwidth", "isend_bandwidth", "receive_bandwidth"});
  MessageOverhead overhead;
  section.bytes("from", overhead.from);
  section.time("send", overhead.send_ns);
  overhead.isend_ns = overhead.send_ns;
  section.time("isend", overhead.isend_ns);
  section.time("receive", overhead.receive_ns);
  section.bandwidth("send_bandwidth", overhead.send_ns_per_byte);
  overhead.isend_ns_per_byte = overhead.send_ns_per_byte;
  section.bandwidth("isend_bandwidth", overhead.isend_ns_per_byte);
  section.bandwidth("receive_bandwidth", overhead.receive_ns_per_byte);
  return overhead;
}

void read_eager(const Section& root, Machine& machine) {
  machine.eager = !root.says("eager", "none");
  if (machine.eager) {
    root.bytes("eager", machine.eager_bytes);
  } else {
    machine.eager_bytes = 0;
  }
}

void read_scales(const Section& root, Machine& machine) {
  constexpr double kLeast = 0, kMost = 1e9;
  root.number("compute_scale", machine.compute_scale, kLeast, kMost);
  root.each("compute", [&](const Section& section) {
    section.allow({"first_rank", "last_rank", "call_path", "scale"});
    ScaleOfRanks ranks;
    ScaleOfCallPath path;
    section.number("scale", ranks.scale, kLeast, kMost);
    section.text("call_path", path.call_path);
    if (!path.call_path.empty()) {
      path.scale = ranks.scale;
      machine.call_path_scales.push_back(path);
      return;
    }
    section.whole("first_rank", ranks.first, 0);
    ranks.last = ranks.first;
    section.whole("last_rank", ranks.last, ranks.first);
    machine.rank_scales.push_back(ranks);
  });
}

}  // namespace

Machine parse_machine(std::string_view text, const std::string& source) try {
  const toml::table table = toml::parse(text, source);
  const Section root(table, source);
  root.allow({"name", "description", "compute_scale", "compute", "reduction_bandwidth", "eager", "detached",
              "handshake", "envelope", "overhead", "mapping", "ranks_per_node", "collectives", "level"});
  Machine machine;
  machine.name = source;
  root.text("name", machine.name);
  root.text("description", machine.description);
  read_scales(root, machine);
  root.bandwidth("reduction_bandwidth", machine.reduction_ns_per_byte);
  read_eager(root, machine);
  machine.detached_bytes = machine.eager_bytes;
  root.bytes("detached", machine.detached_bytes);
  machine.detached_bytes = std::max(machine.detached_bytes, machine.eager_bytes);
  root.time("handshake", machine.handshake_ns);
  root.bytes("envelope", machine.envelope_bytes);
  root.each("overhead",
            [&](const Section& section) { machine.overheads.push_back(message_overhead_of(section)); });
  check_order(root, machine.overheads, "overhead");
  root.choice<Mapping>("mapping", machine.mapping, {{"block", Mapping::Block}, {"cyclic", Mapping::Cyclic}});
  root.whole("ranks_per_node", machine.ranks_per_node, 1);
  root.text("collectives", machine.collectives);
  root.each("level", [&](const Section& section) {
    machine.levels.push_back(level_of(section, machine.levels.empty()));
  });
  return machine;
} catch (const toml::parse_error& error) {
  const toml::source_position place = error.source().begin;
  throw TraceError(source + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) +
                   ": not TOML: " + std::string(error.description()));
}

}  // namespace waitdiag
