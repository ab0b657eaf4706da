// The text notation (README.md in this folder) -> TraceBuilder, line by line.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <set>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/formats/notation/peer_text.hpp"
#include "analyzer/formats/notation/text_clauses.hpp"
#include "analyzer/formats/notation/text_line.hpp"
#include "analyzer/formats/notation/text_names.hpp"

namespace waitdiag {
namespace {

class TextParser {
 public:
  Trace parse(std::string_view text) {
    look_ahead(text);
    for_each_line(text, [&](TextLine& line) { read_line(line); });
    return builder_.build();
  }

 private:
  template <typename Function>
  static void for_each_line(std::string_view text, Function&& function) {
    std::size_t number = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      TextLine line(++number, text.substr(0, end));
      if (!line.empty()) function(line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  // MPI_COMM_WORLD means all ranks of the text, including those that come later. Threads that call MPI are known as
  // such before they do.
  void look_ahead(std::string_view text) {
    std::pair<Rank, std::uint32_t> here;
    for_each_line(text, [&](TextLine& line) {
      if (line.accept("rank")) {
        here = {Rank(line.number<std::int32_t>("a rank")), 0};
        ranks_.insert(here.first);
        if (line.accept("thread")) here.second = line.number<std::uint32_t>("a thread");
      } else if (line.accept("thread") && here.second != 0) {
        threads_.insert(here);
      } else if (threads_.contains(here)) {
        line.take("a word");
        const bool calls = !line.done() && line.peek().find("MPI_") != std::string_view::npos;
        if (calls) callers_.insert(here);
      }
    });
  }

  void read_line(TextLine& line) {
    struct Directive {
      std::string_view word;
      void (TextParser::*read)(TextLine&);
    };
    static constexpr Directive kDirectives[] = {
        {"rank", &TextParser::read_rank},
        {"region", &TextParser::read_region},
        {"comm", &TextParser::read_communicator},
        {"unit", &TextParser::read_unit},
        {"program", &TextParser::read_program},
        {"mpi", &TextParser::read_mpi},
        {"creator", &TextParser::read_creator},
        {"property", &TextParser::read_property},
        {"clock", &TextParser::read_clock},
        {"events", &TextParser::read_events},
        {"incomplete", &TextParser::read_incomplete},
        {"step", &TextParser::read_step},
        {"user_region", &TextParser::read_user_region},
        {"parallel", &TextParser::read_parallel},
        {"usage", &TextParser::read_usage},
        {"counted", &TextParser::read_counted},
        {"thread", &TextParser::read_thread},
    };
    for (const Directive& directive : kDirectives) {
      if (!line.accept(directive.word)) continue;
      (this->*directive.read)(line);
      if (!line.done()) line.fail("did not expect '" + std::string(line.peek()) + "'");
      return;
    }
    read_stretch(line);
  }

  void read_program(TextLine& line) { builder_.facts().program = line.name("the program's name"); }
  void read_mpi(TextLine& line) { builder_.facts().mpi = line.name("the MPI library's name"); }
  void read_creator(TextLine& line) { builder_.facts().creator = line.name("the creator's name"); }
  void read_clock(TextLine& line) {
    builder_.facts().clock_resolution = line.number<std::uint64_t>("ticks per second");
  }
  void read_events(TextLine& line) {
    builder_.facts().events = line.number<std::uint64_t>("the number of events");
  }
  void read_incomplete(TextLine&) { builder_.facts().communication_complete = false; }
  void read_property(TextLine& line) {
    const std::string key = line.name("the property's name");
    builder_.facts().properties[key] = line.name("the property's value");
  }

  void read_unit(TextLine& line) {
    static const std::map<std::string_view, std::int64_t> kUnits = {
        {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
    const auto unit = kUnits.find(line.take("a unit"));
    if (unit == kUnits.end()) line.fail("the unit must be ns, us, ms or s");
    unit_ = unit->second;
  }

  void read_region(TextLine& line) {
    const std::string label = line.name("the region's name");
    Region region{.name = label};
    if (line.accept("name")) region.name = line.name("the region's name");
    if (line.accept("file")) region.file = line.name("a file");
    if (line.accept("line")) region.line = line.number<std::uint32_t>("a line");
    classify_region(region);
    if (line.accept("kind")) region.kind = value(line, call_kind(line.peek()), "the kind");
    if (line.accept("mode")) region.mode = value(line, send_mode(line.peek()), "the mode");
    region.divisible = line.accept("divisible");
    region.library = line.accept("library");
    if (!define(label, region)) line.fail("region '" + label + "' was already used or defined");
  }

  template <typename Enum>
  static Enum value(TextLine& line, std::optional<Enum> known, std::string_view what) {
    const std::string_view word = line.take(what);
    if (!known) line.fail("unknown word '" + std::string(word) + "' for " + std::string(what));
    return *known;
  }

  bool define(const std::string& label, const Region& region) {
    const auto [entry, is_new] = regions_.try_emplace(label);
    if (is_new) entry->second = {builder_.region(region), region};
    return is_new;
  }

  void read_communicator(TextLine& line) {
    Communicator communicator{.name = line.name("the communicator's name")};
    communicator.self = line.accept("self");
    if (line.accept("=")) communicator.members = read_members(line);
    if (line.accept("|")) communicator.remote_members = read_members(line);
    if (line.accept("parent")) communicator.parent = find_communicator(line, line.name("the parent"));
    if (communicators_.contains(communicator.name)) {
      line.fail("communicator '" + communicator.name + "' was already used or defined");
    }
    const std::string name = communicator.name;
    communicators_[name] = builder_.communicator(std::move(communicator));
  }

  std::vector<Rank> read_members(TextLine& line) {
    std::vector<Rank> members;
    while (line.at_number()) {
      members.push_back(Rank(line.number<std::int32_t>("a rank")));
      if (!ranks_.contains(members.back())) line.fail("the text has no such rank");
    }
    return members;
  }

  CommId find_communicator(const TextLine& line, const std::string& name) {
    const auto known = communicators_.find(name);
    if (known != communicators_.end()) return known->second;
    if (name != "MPI_COMM_WORLD") line.fail("communicator '" + name + "' is not defined");
    Communicator world{.name = name};
    world.members.assign(ranks_.begin(), ranks_.end());
    return communicators_[name] = builder_.communicator(std::move(world));
  }

  PeerListId find_peers(const PeerList& list) {
    const auto [entry, is_new] = peer_lists_.try_emplace(peers_text(list), kNoPeerList);
    if (is_new) entry->second = builder_.peer_list(list);
    return entry->second;
  }

  void read_rank(TextLine& line) {
    LocationInfo info;
    info.rank = Rank(line.number<std::int32_t>("a rank"));
    if (line.accept("thread")) info.thread = line.number<std::uint32_t>("a thread");
    if (line.accept("name")) info.name = line.name("a name");
    if (line.accept("node")) info.node = line.name("a node");
    if (line.accept("processors"))
      info.node_processors = line.number<std::uint32_t>("a number of processors");
    if (line.accept("package")) info.package = line.number<std::int32_t>("a package");
    if (line.accept("core")) info.core = line.number<std::int32_t>("a core");
    info.trace_id = index(info.rank) | std::uint64_t{info.thread} << 32;
    if (line.accept("id")) info.trace_id = line.number<std::uint64_t>("the location's id");
    if (line.accept("failed_polls")) info.failed_polls = line.number<std::uint64_t>("a number of polls");
    if (line.accept("path_walks")) info.path_walks_ns = line.number<std::uint64_t>("a number of nanoseconds");
    if (line.accept("upkeep")) info.upkeep_ns = line.number<std::uint64_t>("a number of nanoseconds");
    const auto [place, is_new] = places_.try_emplace({info.rank, info.thread});
    if (is_new) place->second.location = builder_.location(info);
    if (is_new && callers_.contains(place->first)) builder_.expect(place->second.location, {.enters = 1});
    here_ = &place->second;
    rank_ = info.rank;
  }

  Time read_time(const TextLine& line, std::string_view word) const {
    std::int64_t nanoseconds{};
    if (__builtin_mul_overflow(line.to_number<std::int64_t>(word, "a time"), unit_, &nanoseconds)) {
      line.fail("a time is too large");
    }
    return at(nanoseconds);
  }

  void read_step(TextLine& line) {
    if (here_ == nullptr) line.fail("say first whose step this is ('rank N')");
    const Time time = read_time(line, line.take("a time"));
    std::optional<std::uint64_t> number;
    if (line.accept("number")) number = line.number<std::uint64_t>("the step's number");
    builder_.step(here_->location, time, number);
  }

  // "user_region solve 0..40"
  void read_user_region(TextLine& line) {
    if (here_ == nullptr) line.fail("say first whose region this is ('rank N')");
    const std::string name = line.name("the region's name");
    const std::string_view times = line.take("its times");
    const std::size_t dots = times.find("..");
    if (dots == times.npos) line.fail("expected 'begin..end'");
    const UserRegion read{read_time(line, times.substr(0, dots)), read_time(line, times.substr(dots + 2)),
                          region(name).id};
    if (read.end < read.begin) line.fail("ends before it begins");
    builder_.user_region(here_->location, read);
  }

  // "parallel main/flux regions 10 time 900 slowest 800 busy 800 400"
  void read_parallel(TextLine& line) {
    if (here_ == nullptr) line.fail("say first who opened it ('rank N')");
    const auto time = [&] { return read_time(line, line.take("a time")) - Time{}; };
    ParallelTotal total{.call_path = node(line.path(line.take("a call path")))};
    if (line.accept("regions")) total.regions = line.number<std::uint64_t>("a number of regions");
    if (line.accept("time")) total.time = time();
    if (line.accept("slowest")) total.slowest = time();
    if (line.accept("left_out")) total.left_out = line.number<std::uint64_t>("a number of regions");
    if (line.accept("with_turns")) total.with_turns = time();
    if (line.accept("with_tasks")) total.with_tasks = time();
    if (line.accept("barriers")) total.barriers = time();
    if (line.accept("tasks")) total.tasks = time();
    if (line.accept("turns"))
      while (!line.done() && !line.accept("busy")) total.turns.push_back(time());
    else
      line.accept("busy");
    while (!line.done()) total.busy.push_back(time());
    builder_.parallel(here_->location, total);
  }

  // "counted 2000 instructions 1000 cycles", in the stretch that it stands in
  void read_counted(TextLine& line) {
    if (here_ == nullptr) line.fail("say first whose work it was ('rank N')");
    WorkCounts work;
    work.instructions = line.number<std::uint64_t>("a number of instructions");
    if (!line.accept("instructions")) line.fail("counted N instructions N cycles");
    work.cycles = line.number<std::uint64_t>("a number of cycles");
    if (!line.accept("cycles")) line.fail("counted N instructions N cycles");
    builder_.counted_work(here_->location, work);
  }

  // "thread 40 starts 7 main/solve", "thread 40 begins 7 work", "thread 90 ends 7", "thread 95 joined 7";
  // "thread 60 wakes 3", "thread 61 woken 3"
  void read_thread(TextLine& line) {
    using enum ThreadRecord::What;
    static const std::map<std::string_view, ThreadRecord::What> kWords = {
        {"starts", Create}, {"begins", Begin}, {"joined", Wait},
        {"ends", End},      {"wakes", Wakes},  {"woken", Woken}};
    if (here_ == nullptr) line.fail("say first whose thread it is ('rank N')");
    const Time time = read_time(line, line.take("a time"));
    const auto what = kWords.find(line.take("what it does"));
    if (what == kWords.end())
      line.fail("a thread starts, wakes or joined another one, begins, ends or was woken");
    ThreadRecord record{what->second, line.number<std::uint64_t>("the thread's number")};
    if (!line.done()) record.call_path = node(line.path(line.take("a call path")));
    builder_.off_regions();
    builder_.thread(here_->location, time, record);
  }

  // "usage 40 cpu 38 memory 1000000 load 3"
  void read_usage(TextLine& line) {
    if (here_ == nullptr) line.fail("say first who used it ('rank N')");
    const auto time = [&](std::string_view word) { return read_time(line, word); };
    builder_.usage(here_->location, read_reading(line, time));
  }

  // "0..40  what"
  void read_stretch(TextLine& line) {
    const std::string_view times = line.take("a line");
    const std::size_t dots = times.find("..");
    if (dots == times.npos) line.fail("expected 'begin..end what', 'rank N' or a definition");
    if (here_ == nullptr) line.fail("say first whose line this is ('rank N')");
    const Time begin = read_time(line, times.substr(0, dots));
    const Time end = read_time(line, times.substr(dots + 2));
    if (end < begin) line.fail("ends before it begins");
    if (here_->started && begin < here_->now) line.fail("begins before the line above has ended");
    here_->started = true;
    here_->now = end;
    builder_.seen(here_->location, begin);
    if (line.accept("samples")) {
      while (!line.done()) read_sample(line, begin);
    } else if (!line.accept("-")) {
      read_call(line, begin, end);
    }
    if (!line.done()) line.fail("did not expect '" + std::string(line.peek()) + "'");
    builder_.seen(here_->location, end);
  }

  // "main/solve:3"
  void read_sample(TextLine& line, Time time) {
    const std::string_view word = line.take("a sample");
    const std::size_t colon = find_unquoted(word, ":");
    if (colon == word.npos) line.fail("a sample is written 'call/path:weight'");
    const auto weight = line.to_number<std::uint32_t>(word.substr(colon + 1), "a sample's weight");
    const std::string_view path = word.substr(0, colon);
    builder_.sample(here_->location, time, path == "-" ? kNoCallPath : node(line.path(path)), weight);
  }

  void read_call(TextLine& line, Time begin, Time end) {
    std::vector<PathPart> parts = line.path(line.take("a region"));
    const PathPart last = parts.back();
    parts.pop_back();
    const CallPathId caller = node(parts);
    const DefinedRegion& called = region(last.name);
    builder_.call_path(caller, called.id, last.line);
    builder_.enter(here_->location, begin, called.id, caller);
    if (!called.region.operation() && line.accept("visits")) {
      builder_.visits(here_->location, line.number<std::uint32_t>("how often it was entered"));
    }
    const bool open = called.region.operation() && line.accept("open");
    if (called.region.mpi()) {
      const ClauseContext context{
          .enter = begin,
          .leave = end,
          .location = here_->location,
          .rank = rank_,
          .region = &called.region,
          .time = [&](std::string_view word) { return read_time(line, word); },
          .communicator = [&](const std::string& name) { return find_communicator(line, name); },
          .peer_list = [&](const PeerList& list) { return find_peers(list); },
          .requests = &here_->requests};
      feed_clauses(line, context, builder_);
    }
    open ? builder_.seen(here_->location, end) : builder_.leave(here_->location, end, called.id);
  }

  struct DefinedRegion {
    RegionId id = kNoRegion;
    Region region{};
  };

  const DefinedRegion& region(const std::string& label) {
    if (!regions_.contains(label)) {
      Region made{.name = label};
      classify_region(made);
      define(label, made);
    }
    return regions_.at(label);
  }

  CallPathId node(const std::vector<PathPart>& parts) {
    CallPathId path = kNoCallPath;
    for (const PathPart& part : parts) path = builder_.call_path(path, region(part.name).id, part.line);
    return path;
  }

  struct Place {
    Location location{};
    Time now{};
    bool started = false;
    std::map<std::uint64_t, PostedRequest> requests{};
  };

  TraceBuilder builder_;
  std::int64_t unit_ = 1;
  std::set<Rank> ranks_;
  std::set<std::pair<Rank, std::uint32_t>> threads_, callers_;  // that begin and end; of those, that call MPI
  std::map<std::string, DefinedRegion> regions_;
  std::map<std::string, CommId> communicators_;
  std::map<std::string, PeerListId> peer_lists_;
  std::map<std::pair<Rank, std::uint32_t>, Place> places_;
  Place* here_ = nullptr;
  Rank rank_ = kNoRank;
};

}  // namespace

Trace parse_text(std::string_view text) {
  return TextParser().parse(text);
}

}  // namespace waitdiag
