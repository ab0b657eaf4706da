// https://www.speedscope.app/file-format-schema.json: "evented" profiles open and close frames in time order,
// "sampled" ones are stacks with weights. Written incrementally, because there are many events.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "analyzer/writers/exports/lane_slices.hpp"

namespace waitdiag {
namespace {

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Frames by what they show: regions, patterns of waits, and one for unknown time.
class Frames {
 public:
  explicit Frames(const Trace& trace) : trace_(trace) {}

  std::vector<std::size_t> stack(CallPathId path) const {
    std::vector<std::size_t> frames;
    for (; path != kNoCallPath; path = trace_.call_paths()[index(path)].parent)
      frames.push_back(index(trace_.call_paths()[index(path)].region));
    std::reverse(frames.begin(), frames.end());
    if (frames.empty()) frames.push_back(trace_.regions().size());
    return frames;
  }
  std::size_t of_pattern(PatternId id) const {
    return trace_.regions().size() + 1 + static_cast<std::size_t>(id);
  }

  void write(std::ostream& out) const {
    out << "{\"frames\":[";
    for (const Region& region : trace_.regions()) {
      out << "{\"name\":" << json_text(region.name);
      if (!region.file.empty()) out << ",\"file\":" << json_text(region.file);
      if (region.line > 0) out << ",\"line\":" << region.line;
      out << "},\n";
    }
    out << "{\"name\":\"[not known]\"}";
    for (const WaitPattern* kind : wait_patterns())
      out << ",\n{\"name\":" << json_text("[waiting: " + std::string(kind->title) + "]") << '}';
    out << "]}";
  }

 private:
  const Trace& trace_;
};

class Timelines {
 public:
  Timelines(const ExportView& view, const Frames& frames, std::ostream& out)
      : view_(view), frames_(frames), out_(out) {}

  void write(std::size_t lane) {
    const PageSelection::Lane& shown = view_.selection.lanes[lane];
    const LocationInfo& info = view_.trace.locations()[index(shown.location)];
    std::string name = "rank " + std::to_string(static_cast<std::int64_t>(info.rank));
    if (info.thread > 0) name += " thread " + std::to_string(info.thread);
    out_ << "{\"type\":\"evented\",\"name\":" << json_text(name)
         << ",\"unit\":\"nanoseconds\",\"startValue\":" << time(view_.selection.begin)
         << ",\"endValue\":" << time(view_.selection.end) << ",\"events\":[";
    first_ = true;
    open_.clear();
    for_each_slice(
        view_, shown, [&](Time begin, Time end, CallPathId path) { show(begin, end, frames_.stack(path)); },
        [&](std::uint32_t op, Time enter, Time leave, const std::vector<LaneWait>& waits) {
          const std::vector<std::size_t> stack =
              frames_.stack(view_.trace.timeline(shown.location).call_path(op));
          unwind(std::min(open_.size(), stack.size() - 1), enter);  // a repeated call gets its own frame
          Time from = enter;
          for (const LaneWait& wait : waits) {
            std::vector<std::size_t> deeper = stack;
            deeper.push_back(frames_.of_pattern(wait.wait->pattern));
            show(wait.begin, wait.end, std::move(deeper));
            from = wait.end;
          }
          show(from, leave, stack);
        });
    unwind(0, last_);
    out_ << "]}";
  }

 private:
  std::int64_t time(Time when) const { return (when - view_.trace.begin()).count(); }
  void event(char what, std::size_t frame, Time when) {
    out_ << (first_ ? "" : ",\n") << "{\"type\":\"" << what << "\",\"frame\":" << frame
         << ",\"at\":" << time(when) << '}';
    first_ = false;
  }
  void unwind(std::size_t depth, Time when) {
    for (; open_.size() > depth; open_.pop_back()) event('C', open_.back(), when);
  }
  // Closes and opens the frames that differ from the previous stack.
  void show(Time begin, Time end, std::vector<std::size_t> stack) {
    std::size_t common = 0;
    while (common < stack.size() && common < open_.size() && stack[common] == open_[common]) ++common;
    unwind(common, begin);
    for (std::size_t i = common; i < stack.size(); ++i) event('O', stack[i], begin);
    open_ = std::move(stack);
    last_ = end;
  }

  const ExportView& view_;
  const Frames& frames_;
  std::ostream& out_;
  std::vector<std::size_t> open_;
  Time last_{};
  bool first_ = true;
};

struct WeightedStack {
  std::vector<std::size_t> frames;
  std::int64_t ns = 0;
};

void write_sums(const char* name, const std::vector<WeightedStack>& stacks, std::ostream& out) {
  std::int64_t total = 0;
  for (const WeightedStack& stack : stacks) total += stack.ns;
  out << ",\n{\"type\":\"sampled\",\"name\":\"" << name
      << "\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":" << total << ",\"samples\":[";
  for (std::size_t i = 0; i < stacks.size(); ++i)
    out << (i == 0 ? "" : ",\n") << nlohmann::json(stacks[i].frames).dump();
  out << "],\"weights\":[";
  for (std::size_t i = 0; i < stacks.size(); ++i) out << (i == 0 ? "" : ",") << stacks[i].ns;
  out << "]}";
}

}  // namespace

void write_speedscope(const ExportView& view, const std::string& name, std::ostream& out) {
  const Frames frames(view.trace);
  out << "{\"$schema\":\"https://www.speedscope.app/"
         "file-format-schema.json\",\"exporter\":\"waitdiag\",\"name\":"
      << json_text(name) << ",\"activeProfileIndex\":0,\"shared\":";
  frames.write(out);
  out << ",\"profiles\":[";
  Timelines timelines(view, frames, out);
  for (std::size_t lane = 0; lane < view.selection.lanes.size(); ++lane) {
    if (lane > 0) out << ",\n";
    timelines.write(lane);
  }
  const CallSums sums = call_sums(view);
  const auto add = [](std::vector<WeightedStack>& stacks, std::vector<std::size_t> stack, double ns) {
    if (std::llround(ns) > 0) stacks.push_back({std::move(stack), std::llround(ns)});
  };
  std::vector<WeightedStack> computation, waiting, caused;
  for (const auto& [path, ns] : sums.computation) add(computation, frames.stack(path), ns);
  for (const auto& [key, ns] : sums.waiting) {
    std::vector<std::size_t> stack = frames.stack(key.first);
    stack.push_back(frames.of_pattern(key.second));
    add(waiting, std::move(stack), ns);
  }
  for (const auto& [path, ns] : sums.caused) add(caused, frames.stack(path), ns);
  write_sums("computation, all ranks", computation, out);
  write_sums("waiting, all ranks", waiting, out);
  write_sums("caused waiting, all ranks", caused, out);
  out << "]}\n";
}

}  // namespace waitdiag
