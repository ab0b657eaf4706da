// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/repairs/repaired_tasks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <utility>

namespace waitdiag {
namespace {

// Of one cause, in one stretch of one worker.
struct Ran {
  const TaskPool::Worker* worker = nullptr;
  std::vector<std::pair<Place, double>> tasks{};  // where, nanoseconds
  double sum = 0;
};
// Of one cause and location.
struct OfLocation {
  double tasks = 0, sum = 0, squares = 0;
  double mean() const { return sum / tasks; }
  double variance() const { return std::max(0.0, squares / tasks - mean() * mean()); }
  double error() const { return std::sqrt(variance() / tasks); }  // of the mean
};

class TasksOfCause {
 public:
  TasksOfCause(const Trace& trace, const CausePlaces& places, std::span<const TaskPool> pools,
               std::uint32_t cause, Change& change)
      : trace_(trace), cause_(cause), change_(change) {
    for (const TaskPool& pool : pools) add(pool, places);
  }

  void repair() {
    if (of_location_.size() < 2 || !find_slow()) return;
    std::vector<std::vector<Saving>> longer(trace_.timelines().size());
    const bool shared = goes_to_the_free();
    for (const auto& [pool, ran] : pools_) {
      if (!shared && !pool->has_server) continue;
      for (const Ran& one : ran)
        if (const auto slow = usual_part_.find(one.worker->location); slow != usual_part_.end())
          add_savings(one, 1 - slow->second, longer);
    }
    merge(longer, change_.savings);
    if (shared) share(longer);
  }

 private:
  static constexpr double kNoticeable = 1.1;  // times the usual time of a task
  static constexpr double kStandardErrors = 3;
  static constexpr std::size_t kFewest = 3;    // tasks of a worker
  static constexpr double kRequests = 0.5;     // for each task
  static constexpr double kRunsItself = 0.05;  // of what a worker runs

  void add(const TaskPool& pool, const CausePlaces& places) {
    std::vector<Ran> ran;
    double all = 0, tasks = 0, requests = 0;
    for (const TaskPool::Worker& worker : pool.workers) {
      Ran one{.worker = &worker};
      for_each_in(places, worker, [&](Place where, double nanoseconds) {
        if (one.tasks.empty() || one.tasks.back().first != where) one.tasks.emplace_back(where, 0);
        one.tasks.back().second += nanoseconds;
        one.sum += nanoseconds;
      });
      if (one.sum <= 0) continue;
      all += one.sum;
      tasks += static_cast<double>(one.tasks.size());
      requests += worker.requests;
      ran.push_back(std::move(one));
    }
    if (ran.size() < 2 || requests < kRequests * tasks) return;
    if (pool.has_server &&
        places.total(pool.server, cause_) > kRunsItself * all / static_cast<double>(ran.size()))
      return;
    for (const Ran& one : ran)
      for (const auto& [where, nanoseconds] : one.tasks) {
        OfLocation& of = of_location_[one.worker->location];
        ++of.tasks;
        of.sum += nanoseconds;
        of.squares += nanoseconds * nanoseconds;
      }
    pools_.emplace_back(&pool, std::move(ran));
  }

  template <typename Visit>
  void for_each_in(const CausePlaces& places, const TaskPool::Worker& worker, Visit visit) {
    auto known = occurrences_.find(worker.location);
    if (known == occurrences_.end()) {
      known = occurrences_.try_emplace(worker.location).first;
      places.for_each_occurrence(worker.location, [&](std::uint32_t cause, Place where, double nanoseconds) {
        if (cause == cause_ && where % 2 == 0) known->second.emplace_back(where, nanoseconds);
      });
    }
    auto at = std::ranges::lower_bound(known->second, place_of_gap(worker.first), {},
                                       &std::pair<Place, double>::first);
    for (; at != known->second.end() && at->first <= place_of_gap(worker.last); ++at)
      visit(at->first, at->second);
  }

  // Whose tasks take longer than usual, by more than chance. Are there any?
  bool find_slow() {
    std::vector<double> means;
    for (const auto& [location, of] : of_location_)
      if (of.tasks >= kFewest) means.push_back(of.mean());
    if (means.size() < 2) return false;
    const auto middle = means.begin() + static_cast<std::ptrdiff_t>((means.size() - 1) / 2);
    std::ranges::nth_element(means, middle);
    // The mean of those that are not slow is known better than that of the one in the middle.
    OfLocation usual;
    for (const auto& [location, of] : of_location_) {
      if (is_longer(of, *middle, 0)) continue;
      usual.tasks += of.tasks;
      usual.sum += of.sum;
      usual.squares += of.squares;
    }
    if (usual.tasks == 0) return false;
    usual_ = usual;
    for (const auto& [location, of] : of_location_)
      if (is_longer(of, usual.mean(), usual.error())) usual_part_[location] = usual.mean() / of.mean();
    return !usual_part_.empty();
  }
  static bool is_longer(const OfLocation& of, double usual, double error) {
    return of.tasks >= kFewest && of.mean() > kNoticeable * usual &&
           of.mean() - usual > kStandardErrors * std::hypot(error, of.error());
  }

  // Did the slow ones run as many tasks as the others, or fewer because each took longer? What is nearer.
  bool goes_to_the_free() const {
    double others = 0, of_others = 0, as_fewer = 0;
    for (const auto& [location, of] : of_location_)
      if (!usual_part_.contains(location)) {
        others += of.tasks;
        ++of_others;
      }
    if (of_others == 0) return false;
    for (const auto& [location, part] : usual_part_)
      as_fewer += std::log(of_location_.at(location).tasks * of_others / others) - std::log(part) / 2;
    return as_fewer < 0;
  }

  static void add_savings(const Ran& ran, double part, std::vector<std::vector<Saving>>& savings) {
    for (const auto& [where, nanoseconds] : ran.tasks)
      savings[index(ran.worker->location)].push_back(
          {where / 2, false, Duration(std::llround(part * nanoseconds))});
  }

  // The larger of both, where both save.
  static void merge(std::vector<std::vector<Saving>>& more, std::vector<std::vector<Saving>>& savings) {
    savings.resize(more.size());
    const auto at = [](const Saving& saving) { return std::pair(saving.op, saving.in_call); };
    for (std::size_t l = 0; l < more.size(); ++l) {
      std::ranges::sort(more[l], {}, at);
      std::vector<Saving> all;
      std::ranges::merge(savings[l], more[l], std::back_inserter(all), {}, at, at);
      savings[l].clear();
      for (const Saving& saving : all) {
        if (savings[l].empty() || at(savings[l].back()) != at(saving))
          savings[l].push_back(saving);
        else
          savings[l].back().time = std::max(savings[l].back().time, saving.time);
      }
    }
  }

  // Nobody else is slow: who got the last tasks made others wait, but by chance.
  void share(const std::vector<std::vector<Saving>>& longer) {
    change_.savings = longer;
    change_.in_turn = false;
    change_.shared.assign(longer.size(), {});
    double error = 0;
    for (const auto& [pool, ran] : pools_) error += share_in_pool(ran);
    for (std::vector<Saving>& savings : change_.shared) std::ranges::sort(savings, {}, &Saving::op);
    change_.error = Duration(std::llround(error));
  }

  // The tasks of all again, in the order in which they began, each to whoever is free first. Returns the error.
  double share_in_pool(const std::vector<Ran>& ran) {
    struct Task {
      Time begin{};
      double usual = 0;
    };
    std::vector<Task> tasks;
    std::vector<double> begins, beside, ends;  // by worker: when it begins, what each task takes beside it
    Time first = Time::max();
    for (const Ran& one : ran)
      first = std::min(first, trace_.timeline(one.worker->location).gap_begin(one.worker->first));
    double squares = 0;
    for (const Ran& one : ran) {
      const Timeline& timeline = trace_.timeline(one.worker->location);
      const auto slow = usual_part_.find(one.worker->location);
      const double part = slow == usual_part_.end() ? 1 : slow->second;
      for (const auto& [where, nanoseconds] : one.tasks)
        tasks.push_back({timeline.gap_begin(where / 2), part * nanoseconds});
      const auto since = [&](Time time) { return static_cast<double>((time - first).count()); };
      begins.push_back(since(timeline.gap_begin(one.worker->first)));
      ends.push_back(since(timeline.gap_end(one.tasks.back().first / 2)));
      const auto number = static_cast<double>(one.tasks.size());
      beside.push_back(std::max(0.0, (ends.back() - begins.back() - one.sum) / number));
      if (part < 1) squares += number * number * usual_.error() * usual_.error();
    }
    std::ranges::stable_sort(tasks, {}, &Task::begin);
    using Free = std::pair<double, std::size_t>;
    std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
    for (std::size_t i = 0; i < begins.size(); ++i) free.emplace(begins[i], i);
    std::vector<double> done = begins;
    for (const Task& task : tasks) {
      const auto [time, worker] = free.top();
      free.pop();
      done[worker] = time + beside[worker] + task.usual;
      free.emplace(done[worker], worker);
    }
    for (std::size_t i = 0; i < ran.size(); ++i) {
      const double part = std::clamp((ends[i] - done[i]) / ran[i].sum, 0.0, 1.0);
      if (part > 0) add_savings(ran[i], part, change_.shared);
    }
    // The last task of all begins anywhere within the usual time of one: a uniform distribution.
    const double of_last = usual_.mean() / std::sqrt(12.0);
    return kStandardErrors * std::hypot(of_last, std::sqrt(squares) / static_cast<double>(ran.size()));
  }
  const Trace& trace_;
  std::uint32_t cause_;
  Change& change_;
  std::map<Location, std::vector<std::pair<Place, double>>> occurrences_{};
  std::vector<std::pair<const TaskPool*, std::vector<Ran>>> pools_{};
  std::map<Location, OfLocation> of_location_{};
  std::map<Location, double> usual_part_{};  // of the slow ones: of the time of their tasks
  OfLocation usual_{};
};

}  // namespace

void repair_tasks(const Trace& trace, const CausePlaces& places, std::span<const TaskPool> pools,
                  std::span<Change> changes) {
  if (pools.empty()) return;
  for (std::uint32_t i = 0; i < changes.size(); ++i)
    if (!places.is_needless(i)) TasksOfCause(trace, places, pools, i, changes[i]).repair();
}

}  // namespace waitdiag
