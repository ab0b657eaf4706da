// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/retiming/part_times.hpp"

#include <algorithm>
#include <memory>

#include "analyzer/diagnosis/retiming/retime.hpp"

namespace waitdiag {
namespace {

class PartRetimer {
 public:
  using Node = Dependencies::Node;

  PartRetimer(const Trace& trace, const Dependencies& dependencies, const RankedBits& kept,
              const PartStretches& stretches)
      : trace_(trace),
        dependencies_(dependencies),
        kept_(kept),
        stretches_(stretches),
        joined_(dependencies.graph().joins()),
        enter_(std::make_unique_for_overwrite<Time[]>(kept.count())),
        places_(trace.timelines().size()) {}

  // `longest`: by part, the longest time that any location takes.
  void run(std::vector<Duration>& longest) {
    for (std::uint32_t l = 0; l < places_.size(); ++l) {
      places_[l].taken.assign(stretches_[l].empty() ? 0 : longest.size(), Duration::zero());
      places_[l].kept = kept_.before(dependencies_.graph().node({Location(l), 0}));
      enter_next({Location(l), 0}, trace_.timelines()[l].begin());
    }
    for (const WaitForGraph::Run& run : dependencies_.graph().order()) {
      if (dependencies_.graph().is_call(run.first)) {
        follow(run);
      } else {
        Time& latest = joined_[dependencies_.graph().join(run.first)];
        latest = Time::min();
        for (const Node member : dependencies_.graph().members(run.first))
          latest = std::max(latest, when(member));
      }
    }
    for (const Place& place : places_)
      for (std::size_t part = 0; part < place.taken.size(); ++part)
        longest[part] = std::max(longest[part], place.taken[part]);
  }

 private:
  struct Place {
    std::size_t next = 0;  // stretch: the current one, or the next one
    std::size_t kept = 0;  // calls that are kept before the one that comes next
    bool inside = false;
    Time entered{};                 // the call that comes next
    std::vector<Duration> taken{};  // by part
  };

  // A call was entered, or a join complete.
  Time when(Node node) const {
    return dependencies_.graph().is_call(node) ? enter_[kept_.before(node)]
                                               : joined_[dependencies_.graph().join(node)];
  }

  void follow(const WaitForGraph::Run& run) {
    OpRef call = dependencies_.graph().call(run.first);
    for (Node node = run.first; node < run.last; ++node) {
      Time left = places_[index(call.location)].entered;
      for (const Node on : dependencies_.graph().of_call(node)) left = std::max(left, when(on));
      ++call.op;
      enter_next(call, left);
    }
  }

  // From the leave of the previous call, at `left`, to the enter of `call`. Where a stretch begins or ends,
  // measured times apply again.
  void enter_next(OpRef call, Time left) {
    const Timeline& timeline = trace_.timeline(call.location);
    const std::vector<PartStretch>& stretches = stretches_[index(call.location)];
    const Time gap_end = timeline.gap_end(call.op);
    Place& place = places_[index(call.location)];
    Time measured = timeline.gap_begin(call.op);
    Time now = place.inside ? left : measured;
    for (; place.next < stretches.size(); ++place.next) {
      const PartStretch& stretch = stretches[place.next];
      if (!place.inside && stretch.begin > gap_end) break;
      if (!place.inside) now = measured = stretch.begin;
      place.inside = stretch.end > gap_end;
      if (place.inside) break;
      place.taken[stretch.part] += now + (stretch.end - measured) - stretch.begin;
      now = measured = stretch.end;
    }
    place.entered = now + (gap_end - measured);
    if (call.op < timeline.size() && kept_[dependencies_.graph().node(call)])
      enter_[place.kept++] = place.entered;
  }

  const Trace& trace_;
  const Dependencies& dependencies_;
  const RankedBits& kept_;
  const PartStretches& stretches_;
  std::vector<Time> joined_;       // by join
  std::unique_ptr<Time[]> enter_;  // by kept call
  std::vector<Place> places_;      // by location
};

void add_path(const Trace& trace, const CriticalPath& path, const PartStretches& division,
              std::vector<Duration>& on_path) {
  for (const CriticalPath::Stretch& piece : path.stretches) {
    const auto& stretches = division[index(trace.main_location(trace.rank(piece.location)))];
    auto stretch = std::ranges::upper_bound(stretches, piece.begin, {}, &PartStretch::end);
    for (; stretch != stretches.end() && stretch->begin < piece.end; ++stretch)
      on_path[stretch->part] += std::min(stretch->end, piece.end) - std::max(stretch->begin, piece.begin);
  }
}

}  // namespace

PartTimes part_times(const Trace& trace, const Dependencies& dependencies, const CriticalPath& path,
                     const DividedRun& run) {
  PartTimes result{.ideal = std::vector<Duration>(run.parts), .on_path = std::vector<Duration>(run.parts)};
  if (run.parts == 0) return result;
  const RankedBits kept = needed_calls(dependencies.graph());
  for (const PartStretches& division : run.divisions) {
    PartRetimer(trace, dependencies, kept, division).run(result.ideal);
    add_path(trace, path, division, result.on_path);
  }
  return result;
}

}  // namespace waitdiag
