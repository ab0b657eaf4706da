// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/joined_threads.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "analyzer/trace/model/number_property.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

constexpr double kEnoughOfOneThread = 20;  // of one thread, to be looked at by itself

double nanoseconds(Duration time) {
  return static_cast<double>(time.count());
}

double sum_of(const auto& work) {
  double sum = 0;
  for (const auto& [path, time] : work) sum += time;
  return sum;
}

double middle_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

void JoinedThreads::replace_waits() {
  for (Timeline& timeline : trace_.timelines_) begin_with_the_run(timeline);
  const auto joins = [](const Timeline& timeline) {
    return std::ranges::any_of(timeline.thread_joins_,
                               [](const ThreadJoin& join) { return join.op == kNoOp; });
  };
  if (std::ranges::none_of(trace_.timelines_, joins)) return;
  find_threads();
  find_kinds();
  for (std::size_t l = 0; l < trace_.timelines_.size(); ++l)
    if (joins(trace_.timelines_[l])) replace_waits_of(trace_.locations_[l].rank, trace_.timelines_[l]);
}

// A thread that calls MPI cannot be there earlier than it is started, but it would be if that happened earlier.
void JoinedThreads::begin_with_the_run(Timeline& timeline) const {
  const bool begins = !timeline.lives_.empty() && timeline.lives_.front().before == 0;
  if (begins) timeline.begin_ = timeline.enter_.front() = std::min(timeline.begin_, trace_.begin_);
}

void JoinedThreads::find_threads() {
  for (const WorkerThread& worker : trace_.workers_)
    for (const ThreadLife& life : worker.timeline.lives_)
      if (life.ended)
        threads_[life.number] = {
            worker.info.rank, worker.info.thread, &life, {worker.info.rank, kNoCallPath}};
  for (const Timeline& timeline : trace_.timelines_) {
    for (const ThreadStart& start : timeline.thread_starts_) {
      const auto thread = threads_.find(start.number);
      if (thread != threads_.end()) thread->second.kind.second = trace_.without_sites(start.caller);
    }
  }
}

void JoinedThreads::find_kinds() {
  for (const auto& [number, thread] : threads_) {
    Kind& kind = kinds_[thread.kind];
    ++kind.lives;
    kind.time += nanoseconds(thread.life->end - thread.life->begin);
    for (const ComputationSample& sample : thread.life->samples) {
      kind.work[sample.call_path] += sample.weight;
      kind.samples += sample.weight;
    }
  }
  // What was sampled is known by its part of the time.
  for (auto& [key, kind] : kinds_)
    for (auto& [path, weight] : kind.work) weight *= kind.time / kind.samples;
  for (const auto& [key, kind] : kinds_)
    if (!usual_.contains(key.second)) usual_[key.second] = usual_work(key.second);
}

// Of one thread: the median over the ranks.
JoinedThreads::Work JoinedThreads::usual_work(CallPathId started_by) const {
  std::map<CallPathId, std::vector<double>> times;
  std::size_t ranks = 0;
  for (const auto& [key, kind] : kinds_) {
    if (key.second != started_by) continue;
    ++ranks;
    for (const auto& [path, time] : kind.work) times[path].push_back(time / kind.lives);
  }
  Work usual;
  for (auto& [path, each] : times) {
    each.resize(ranks);  // others did nothing of it
    usual[path] = middle_of(each);
  }
  return usual;
}

JoinedThreads::Work JoinedThreads::work_of(const Thread& thread) const {
  const double time = nanoseconds(thread.life->end - thread.life->begin);
  Work work;
  for (const ComputationSample& sample : thread.life->samples) work[sample.call_path] += sample.weight;
  if (sum_of(work) < kEnoughOfOneThread) {
    const Kind& kind = kinds_.at(thread.kind);
    if (kind.samples > 0) work = kind.work;
  }
  if (work.empty()) return work;  // it did not compute: nobody knows where it waited
  const double scale = time / sum_of(work);
  for (auto& [path, part] : work) part *= scale;
  return work;
}

// What took the thread longer than is usual comes first, then the rest in proportion.
JoinedThreads::Work JoinedThreads::share_of_wait(const Thread& thread, Duration wait) const {
  Work work = work_of(thread), longer;
  const Work& usual = usual_.at(thread.kind.second);
  for (const auto& [path, time] : work) {
    const auto known = usual.find(path);
    longer[path] = std::max(0.0, time - (known != usual.end() ? known->second : 0));
  }
  const double time = nanoseconds(wait), all = sum_of(work), more = sum_of(longer);
  const double of_longer = more > 0 ? std::min(1.0, time / more) : 0;
  const double of_rest = all > more ? std::max(0.0, time - more) / (all - more) : 0;
  for (auto& [path, part] : work) part = of_longer * longer[path] + of_rest * (part - longer[path]);
  return work;
}

// In time order.
std::vector<JoinedThreads::Wait> JoinedThreads::waits_of(const Timeline& timeline) const {
  std::vector<Wait> waits;
  const Thread* last = nullptr;  // what held it up behind the wait that is looked at
  std::uint32_t gap = kNoOp;
  for (auto join = timeline.thread_joins_.rbegin(); join != timeline.thread_joins_.rend(); ++join) {
    if (join->op != kNoOp) continue;
    if (join->gap != gap) last = nullptr;
    gap = join->gap;
    const auto found = threads_.find(join->number);
    const Thread* const joined = found != threads_.end() ? &found->second : nullptr;
    const Time until = last != nullptr ? std::clamp(last->life->begin, join->begin, join->end) : join->end;
    if (join->end > until) waits.push_back({&*join, join->end - until, last});
    if (until > join->begin && joined != nullptr) {
      waits.push_back({&*join, until - join->begin, joined});
      last = joined;
    }
  }
  std::ranges::reverse(waits);
  return waits;
}

void JoinedThreads::tell(Rank rank, const Wait& wait, const Work& work) {
  auto& all = trace_.joined_threads_;
  for (const auto& part : work) {
    const CallPathId path = part.first;
    const auto known = std::ranges::find_if(all, [&](const JoinedThread& row) {
      return row.rank == rank && row.thread == wait.thread->thread && row.call_path == path &&
             row.joined_in == wait.join->blocked;
    });
    JoinedThread& row =
        known != all.end()
            ? *known
            : all.emplace_back(JoinedThread{rank, wait.thread->thread, wait.join->blocked, path});
    row.time += Duration(std::llround(part.second));
  }
}

// What becomes of the pieces of a timeline, by their index.
class JoinedThreads::Replacement {
 public:
  Replacement(const Trace& trace, Timeline& timeline) : timeline_(timeline) {
    const auto told = number_property(trace, waitprof::schema::kSamplingHz);
    if (told && *told > 0) hz_ = static_cast<double>(*told);
  }

  // As much of `wanted` as the piece still has.
  Duration take(std::uint32_t piece, Duration wanted) {
    Duration& taken = taken_[piece].time;
    const Duration time = std::clamp(timeline_.pieces_[piece].time - taken, Duration::zero(), wanted);
    taken += time;
    return time;
  }

  // What is too little or too much in whole sampling periods is made up for by the next ones.
  void add(std::uint32_t piece, const Work& work) {
    for (const auto& [path, time] : work) {
      double& owed = owed_[path];
      owed += time * 1e-9 * hz_;
      const auto weight = static_cast<std::uint32_t>(std::max(0L, std::lround(owed)));
      owed -= weight;
      if (weight > 0) taken_[piece].samples.push_back({path, weight});
    }
  }

  void apply() {
    if (taken_.empty()) return;
    auto mark = timeline_.step_marks_.begin();
    for (std::size_t gap = 0; gap < timeline_.gaps(); ++gap) {
      GapPart rest = timeline_.whole_gap(gap);
      for (; mark != timeline_.step_marks_.end() && mark->op <= gap; ++mark) {
        add_part(Timeline::cut_off(rest, *mark));
        mark->piece = static_cast<std::uint32_t>(pieces_.size());
        mark->sample = static_cast<std::uint32_t>(samples_.size());
      }
      add_part(rest);
      piece_offset_.end_row(pieces_.size());
      sample_offset_.end_row(samples_.size());
    }
    timeline_.pieces_ = std::move(pieces_);
    timeline_.samples_ = std::move(samples_);
    timeline_.piece_offset_ = std::move(piece_offset_);
    timeline_.sample_offset_ = std::move(sample_offset_);
  }

 private:
  struct Taken {
    Duration time{};
    std::vector<ComputationSample> samples{};
  };

  // The entry of a call path behind `first`, made where it is missing.
  template <typename Entry>
  static Entry& entry(std::vector<Entry>& entries, std::size_t first, CallPathId path) {
    const auto known = std::find_if(entries.begin() + static_cast<std::ptrdiff_t>(first), entries.end(),
                                    [&](const Entry& each) { return each.call_path == path; });
    return known != entries.end() ? *known : entries.emplace_back(Entry{.call_path = path});
  }

  void add_part(const GapPart& part) {
    const std::size_t first_piece = pieces_.size(), first_sample = samples_.size();
    const auto own = timeline_.samples(part);
    samples_.insert(samples_.end(), own.begin(), own.end());
    Duration computing{};
    for (std::uint32_t i = part.first_piece; i < part.last_piece; ++i) {
      ComputationPiece piece = timeline_.pieces_[i];
      const auto taken = taken_.find(i);
      if (taken != taken_.end()) {
        computing += taken->second.time;
        piece.time -= taken->second.time;
        for (const auto& [path, weight] : taken->second.samples) {
          const std::size_t before = samples_.size();
          ComputationSample& sample = entry(samples_, first_sample, path);
          if (samples_.size() > before) sample.weight = 0;
          sample.weight += weight;
        }
      }
      if (taken == taken_.end() || piece.time > Duration::zero()) pieces_.push_back(piece);
    }
    if (computing > Duration::zero()) entry(pieces_, first_piece, kNoCallPath).time += computing;
  }

  Timeline& timeline_;
  double hz_ = 1000;
  std::map<std::uint32_t, Taken> taken_{};
  Work owed_{};
  std::vector<ComputationPiece> pieces_{};
  std::vector<ComputationSample> samples_{};
  RowOffsets piece_offset_{}, sample_offset_{};
};

void JoinedThreads::replace_waits_of(Rank rank, Timeline& timeline) {
  Replacement replacement(trace_, timeline);
  for (const Wait& wait : waits_of(timeline)) {
    Duration left = wait.time;
    const auto [first, last] = timeline.piece_offset_.row(wait.join->gap);
    for (std::uint32_t i = first; i < last; ++i) {
      if (timeline.pieces_[i].call_path != wait.join->blocked || work_of(*wait.thread).empty()) continue;
      const Duration time = replacement.take(i, left);
      if (time == Duration::zero()) continue;
      left -= time;
      const Work work = share_of_wait(*wait.thread, time);
      replacement.add(i, work);
      tell(rank, wait, work);
    }
  }
  replacement.apply();
}

}  // namespace waitdiag
