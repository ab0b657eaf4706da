// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/joined_threads.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

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

// Of two, the smaller one: where half of the ranks take longer, that is not usual.
double usual_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

// What becomes of the pieces of a timeline, by their index.
class JoinedThreads::Replacement {
 public:
  Replacement(const Trace& trace, Timeline& timeline) : timeline_(timeline) {
    const auto told = number_property(trace, waitprof::schema::kSamplingHz);
    if (told && *told > 0) hz_ = static_cast<double>(*told);
  }

  // What the piece still has.
  Duration left(std::uint32_t piece) const {
    const auto taken = taken_.find(piece);
    const Duration time = timeline_.pieces_[piece].time;
    return taken == taken_.end() ? time : time - taken->second.computing - taken->second.exact_time;
  }

  // Puts `work` in the place of as much of the piece. What is too little or too much in whole sampling periods is made
  // up for by the next ones.
  void replace(std::uint32_t piece, const Work& work) {
    for (const auto& [part, share] : work)
      fill(taken_[piece], part, share, std::min(Duration(std::llround(share)), left(piece)));
  }

  // Puts `work` before a gap.
  void insert(std::uint32_t gap, const Work& work) {
    for (const auto& [part, share] : work) fill(before_[gap], part, share, Duration(std::llround(share)));
  }
  // Takes `work` out of a gap that has it.
  void take_out(std::uint32_t gap, const Work& work) {
    const auto [first_piece, last_piece] = timeline_.piece_offset_.row(gap);
    const auto [first_sample, last_sample] = timeline_.sample_offset_.row(gap);
    for (const auto& [part, share] : work) {
      Duration due(std::llround(share));
      for (std::uint32_t i = first_piece; i < last_piece; ++i) {
        ComputationPiece& piece = timeline_.pieces_[i];
        if (piece.call_path != (part.exact ? part.call_path : kNoCallPath)) continue;
        const Duration time = std::min(due, piece.time);
        piece.time -= time;
        due -= time;
      }
      auto weight = static_cast<std::uint32_t>(part.exact ? 0 : std::lround(share * 1e-9 * hz_));
      for (std::uint32_t i = first_sample; i < last_sample; ++i) {
        ComputationSample& sample = timeline_.samples_[i];
        if (sample.call_path != part.call_path) continue;
        const std::uint32_t taken = std::min(weight, sample.weight);
        sample.weight -= taken;
        weight -= taken;
      }
    }
  }

  void apply() {
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
    Duration computing{}, exact_time{};
    std::vector<ComputationPiece> exact{};
    std::vector<ComputationSample> samples{};
  };

  void fill(Taken& taken, const Part& part, double share, Duration time) {
    if (part.exact) {
      taken.exact.push_back({part.call_path, 1, time});
      taken.exact_time += time;
      return;
    }
    taken.computing += time;
    double& owed = owed_[part];
    owed += share * 1e-9 * hz_;
    const auto weight = static_cast<std::uint32_t>(std::max(0L, std::lround(owed)));
    owed -= weight;
    if (weight > 0) taken.samples.push_back({part.call_path, weight});
  }

  // The entry of a call path behind `first`, made where it is missing.
  template <typename Entry>
  static Entry& entry(std::vector<Entry>& entries, std::size_t first, CallPathId path) {
    const auto known = std::find_if(entries.begin() + static_cast<std::ptrdiff_t>(first), entries.end(),
                                    [&](const Entry& each) { return each.call_path == path; });
    return known != entries.end() ? *known : entries.emplace_back(Entry{path, 0});
  }

  void add_part(const GapPart& part) {
    const std::size_t first_piece = pieces_.size(), first_sample = samples_.size();
    const auto own = timeline_.samples(part);
    std::ranges::copy_if(own, std::back_inserter(samples_), [](const auto& one) { return one.weight > 0; });
    std::vector<ComputationPiece> added;
    const auto add = [&](const Taken& taken) {
      added.insert(added.end(), taken.exact.begin(), taken.exact.end());
      if (taken.computing > Duration::zero()) added.push_back({.time = taken.computing});
      for (const ComputationSample& sample : taken.samples)
        entry(samples_, first_sample, sample.call_path).weight += sample.weight;
    };
    if (const auto before = before_.find(part.gap); part.first && before != before_.end())
      add(before->second);
    for (std::uint32_t i = part.first_piece; i < part.last_piece; ++i) {
      ComputationPiece piece = timeline_.pieces_[i];
      const auto taken = taken_.find(i);
      if (taken != taken_.end()) {
        add(taken->second);
        piece.time = left(i);
      }
      if (taken == taken_.end() || piece.time > Duration::zero()) pieces_.push_back(piece);
    }
    for (const auto& [path, visits, time] : added) {
      ComputationPiece& piece = entry(pieces_, first_piece, path);
      piece.time += time;
      piece.visits += visits;
    }
  }

  Timeline& timeline_;
  double hz_ = 1000;
  std::map<std::uint32_t, Taken> taken_{}, before_{};  // by piece; by gap
  Work owed_{};
  std::vector<ComputationPiece> pieces_{};
  std::vector<ComputationSample> samples_{};
  RowOffsets piece_offset_{}, sample_offset_{};
};

JoinedThreads::JoinedThreads(Trace& trace) : trace_(trace) {}
JoinedThreads::~JoinedThreads() = default;

void JoinedThreads::replace_waits() {
  for (Timeline& timeline : trace_.timelines_) begin_with_the_run(timeline);
  const auto joins = [](const Timeline& timeline) { return !timeline.thread_joins_.empty(); };
  if (std::ranges::none_of(trace_.timelines_, joins)) return;
  find_threads();
  std::vector<std::vector<Wait>> waits;
  for (const Timeline& timeline : trace_.timelines_) waits.push_back(waits_of(timeline));
  for (const auto& of_timeline : waits)
    for (const Wait& wait : of_timeline) wait.thread->waited_for = true;
  find_kinds();
  for (std::size_t l = 0; l < waits.size(); ++l)
    replace_waits_of(trace_.locations_[l].rank, trace_.timelines_[l], waits[l]);
  for (auto& [timeline, replacement] : replacements_) replacement.apply();
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
  find_callers();
  for (const Timeline& timeline : trace_.timelines_) {
    for (const ThreadStart& start : timeline.thread_starts_) {
      const auto thread = threads_.find(start.number);
      if (thread != threads_.end()) thread->second.kind.second = trace_.without_sites(start.caller);
    }
  }
}

void JoinedThreads::find_callers() {
  for (std::size_t l = 0; l < trace_.timelines_.size(); ++l) {
    Timeline& timeline = trace_.timelines_[l];
    const LocationInfo& info = trace_.locations_[l];
    for (const ThreadLife& life : timeline.lives_) {
      if (!life.ended || life.behind == kNoOp || life.behind == 0) continue;
      ThreadLife& last = last_stretches_.emplace_back(
          ThreadLife{.number = life.number, .begin = timeline.gap_begin(life.behind), .end = life.end});
      for (const ComputationPiece& piece : timeline.pieces(life.behind))
        if (piece.call_path != kNoCallPath) last.pieces.push_back(piece);
      const auto samples = timeline.samples(life.behind);
      last.samples.assign(samples.begin(), samples.end());
      threads_[life.number] = {.rank = info.rank,
                               .thread = info.thread,
                               .life = &last,
                               .kind = {info.rank, kNoCallPath},
                               .timeline = &timeline,
                               .behind = life.behind};
    }
  }
}

void JoinedThreads::Kind::add(const ThreadLife& life) {
  ++lives;
  time += nanoseconds(life.end - life.begin);
  for (const ComputationPiece& piece : life.pieces) exact[{piece.call_path, true}] += nanoseconds(piece.time);
  for (const ComputationSample& sample : life.samples) sampled[{sample.call_path}] += sample.weight;
}

void JoinedThreads::find_kinds() {
  Kinds all;
  for (const auto& [number, thread] : threads_) {
    all[thread.kind].add(*thread.life);
    if (thread.waited_for) kinds_[thread.kind].add(*thread.life);
  }
  kinds_.merge(all);
  for (const auto& [key, kind] : kinds_)
    if (!usual_.contains(key.second)) usual_[key.second] = usual_work(key.second);
}

// Samples divide the time of which nothing is known exactly.
JoinedThreads::Work JoinedThreads::with_samples(Work exact, const Work& samples, double time) {
  const double rest = std::max(0.0, time - sum_of(exact)), all = sum_of(samples);
  for (const auto& [part, weight] : samples) exact[part] += rest * weight / all;
  return exact;
}

// Of one thread: the median over the ranks.
JoinedThreads::Work JoinedThreads::usual_work(CallPathId started_by) const {
  std::map<Part, std::vector<double>> times;
  std::size_t ranks = 0;
  for (const auto& [key, kind] : kinds_) {
    if (key.second != started_by) continue;
    ++ranks;
    for (const auto& [part, time] : with_samples(kind.exact, kind.sampled, kind.time))
      times[part].push_back(time / kind.lives);
  }
  Work usual;
  for (auto& [part, each] : times) {
    each.resize(ranks);  // others did nothing of it
    usual[part] = usual_of(each);
  }
  return usual;
}

// Less than its time, if that is not known. Of a run without samples, all that it computed is its first function's; where
// that is the one of std::thread, whose name tells nothing, of the function that started the thread.
JoinedThreads::Work JoinedThreads::work_of(const Thread& thread) const {
  Kind own;
  own.add(*thread.life);
  const bool few = sum_of(own.sampled) < kEnoughOfOneThread;
  Work work =
      with_samples(std::move(own.exact), few ? kinds_.at(thread.kind).sampled : own.sampled, own.time);
  const CallPathId first = thread.life->function;
  const bool nameless = first == kNoCallPath || trace_.region(first).name.ends_with("_M_run");
  const CallPathId function = nameless ? thread.kind.second : first;
  const auto sampling = trace_.facts_.properties.find(waitprof::schema::kSampling);
  const bool unsampled = sampling != trace_.facts_.properties.end() && sampling->second == "off";
  const double rest = own.time - sum_of(work);
  if (unsampled && rest > 0 && function != kNoCallPath) work[{function, true}] += rest;
  return work;
}

JoinedThreads::Work JoinedThreads::longer_than_usual(const Thread& thread, const Work& work) const {
  const Work& usual = usual_.at(thread.kind.second);
  Work longer;
  for (const auto& [part, time] : work) {
    const auto known = usual.find(part);
    longer[part] = std::max(0.0, time - (known != usual.end() ? known->second : 0));
  }
  return longer;
}

// What took the thread longer than is usual comes first, then the rest in proportion.
JoinedThreads::Work JoinedThreads::share_of_wait(const Thread& thread, Duration wait) const {
  Work work = work_of(thread), longer = longer_than_usual(thread, work);
  const double time = nanoseconds(wait), all = sum_of(work), more = sum_of(longer);
  const double of_longer = more > 0 ? std::min(1.0, time / more) : 0;
  const double of_rest = all > more ? std::clamp((time - more) / (all - more), 0.0, 1.0) : 0;
  for (auto& [part, share] : work) share = of_longer * longer[part] + of_rest * (share - longer[part]);
  return work;
}

// In time order.
std::vector<JoinedThreads::Wait> JoinedThreads::waits_of(const Timeline& timeline) {
  std::vector<Wait> waits;
  Thread* last = nullptr;  // what held it up behind the wait that is looked at
  std::uint32_t gap = kNoOp;
  for (auto join = timeline.thread_joins_.rbegin(); join != timeline.thread_joins_.rend(); ++join) {
    const auto found = threads_.find(join->number);
    Thread* const joined = found != threads_.end() ? &found->second : nullptr;
    if (join->op != kNoOp) {
      const Duration held =
          joined != nullptr ? join->end - std::max(join->begin, joined->life->begin) : Duration{};
      if (held > Duration::zero() && joined->timeline != nullptr) waits.push_back({&*join, held, joined});
      continue;
    }
    if (join->gap != gap) last = nullptr;
    gap = join->gap;
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
  for (const auto& [part, time] : work) {
    const CallPathId path = part.call_path;
    const auto known = std::ranges::find_if(all, [&](const JoinedThread& row) {
      return row.rank == rank && row.thread == wait.thread->thread && row.call_path == path &&
             row.joined_in == wait.join->blocked;
    });
    JoinedThread& row =
        known != all.end()
            ? *known
            : all.emplace_back(JoinedThread{rank, wait.thread->thread, wait.join->blocked, path});
    row.time += Duration(std::llround(time));
  }
}

void JoinedThreads::replace_waits_of(Rank rank, Timeline& timeline, const std::vector<Wait>& waits) {
  if (waits.empty()) return;
  Replacement& replacement = replacement_of(timeline);
  for (const Wait& wait : waits) {
    if (wait.join->op != kNoOp) {
      move_last_stretch(rank, timeline, wait);
      continue;
    }
    Duration due = wait.time;
    const CallPathId blocked = wait.join->blocked, call = trace_.call_paths_[index(blocked)].parent;
    const auto [first, last] = timeline.piece_offset_.row(wait.join->gap);
    for (std::uint32_t i = first; i < last; ++i) {
      const CallPathId path = timeline.pieces_[i].call_path;
      if (path != blocked && path != call) continue;
      const Duration time = std::min(due, replacement.left(i));
      if (time == Duration::zero()) continue;
      due -= time;
      const Work work = share_of_wait(*wait.thread, time);
      replacement.replace(i, work);
      tell(rank, wait, work);
    }
  }
}

// Only what took longer than is usual: the rest may as well have been done beside the thread that waits, and stays where
// it is.
void JoinedThreads::move_last_stretch(Rank rank, Timeline& timeline, const Wait& wait) {
  Work work = longer_than_usual(*wait.thread, work_of(*wait.thread));
  const double all = sum_of(work), moved = all > 0 ? std::min(1.0, nanoseconds(wait.time) / all) : 0;
  for (auto& [part, time] : work) time *= moved;
  const Duration time = std::min(Duration(std::llround(sum_of(work))), wait.time);
  if (time == Duration::zero()) return;
  timeline.leave_[wait.join->op] -= time;
  replacement_of(timeline).insert(wait.join->op + 1, work);
  Timeline& joined = *wait.thread->timeline;
  joined.enter_[wait.thread->behind] -= time;
  replacement_of(joined).take_out(wait.thread->behind, work);
  tell(rank, wait, work);
}

JoinedThreads::Replacement& JoinedThreads::replacement_of(Timeline& timeline) {
  return replacements_.try_emplace(&timeline, trace_, timeline).first->second;
}

}  // namespace waitdiag
