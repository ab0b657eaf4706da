// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/notation/text_labels.hpp"

#include <ostream>
#include <vector>

#include "analyzer/formats/notation/text_names.hpp"
#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag {
namespace {

// The regions that the text will name: those of operations, pieces, samples and teams, and their callers.
std::set<RegionId> used_regions(const Trace& trace) {
  std::vector<bool> used(trace.call_paths().size());
  const auto use = [&](CallPathId id) {
    for (; id != kNoCallPath && !used[index(id)]; id = trace.call_paths()[index(id)].parent)
      used[index(id)] = true;
  };
  const auto use_all = [&](const Timeline& timeline) {
    for (std::uint32_t op = 0; op < timeline.size(); ++op) use(timeline.call_path(op));
    for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
      for (const ComputationPiece& piece : timeline.pieces(gap)) use(piece.call_path);
      for (const ComputationSample& sample : timeline.samples(gap)) use(sample.call_path);
    }
    for (const ParallelTotal& total : timeline.parallel()) use(total.call_path);
  };
  for (const WorkerThread& worker : trace.workers()) use_all(worker.timeline);
  for (const Timeline& timeline : trace.timelines()) use_all(timeline);
  std::set<RegionId> regions;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) regions.insert(trace.call_paths()[i].region);
  }
  for (const Timeline& timeline : trace.timelines())
    for (const UserRegion& region : timeline.user_regions()) regions.insert(region.region);
  return regions;
}

}  // namespace

RegionLabels::RegionLabels(const Trace& trace) : trace_(trace) {
  std::set<std::string> taken;
  for (const RegionId id : used_regions(trace)) {
    const std::string& name = trace_.region(id).name;
    std::string label = name;
    if (taken.contains(name)) shared_names_.insert(name);
    for (int copy = 2; !taken.insert(label).second; ++copy) label = name + "~" + std::to_string(copy);
    labels_[id] = label;
  }
}

std::string RegionLabels::label(RegionId id) const {
  return in_quotes(labels_.at(id));
}

std::string RegionLabels::path(CallPathId id) const {
  std::string text;
  for (; id != kNoCallPath; id = trace_.call_paths()[index(id)].parent) {
    const CallPathNode& node = trace_.call_paths()[index(id)];
    std::string part = label(node.region);
    if (node.line != 0) part.append(1, '@').append(std::to_string(node.line));
    text = text.empty() ? part : part + "/" + text;
  }
  return text;
}

void RegionLabels::write(std::ostream& out) const {
  for (const auto& [id, name_in_text] : labels_) {
    const Region& region = trace_.region(id);
    Region by_name{.name = region.name};
    classify_region(by_name);
    std::string more;
    if (name_in_text != region.name) more += " name " + in_quotes(region.name);
    if (!region.file.empty()) more += " file " + in_quotes(region.file);
    if (region.line != 0) more += " line " + std::to_string(region.line);
    if (region.kind != by_name.kind) more += " kind " + std::string(word(region.kind));
    if (region.mode != by_name.mode) more += " mode " + std::string(word(region.mode));
    if (region.divisible) more += " divisible";
    if (region.library) more += " library";
    // Where several regions share a name, all are written, so that they keep their order.
    if (!more.empty() || shared_names_.contains(region.name)) out << "region " << label(id) << more << '\n';
  }
}

}  // namespace waitdiag
