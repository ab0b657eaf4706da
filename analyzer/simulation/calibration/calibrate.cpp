// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/calibration/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/simulation/calibration/measured_sizes.hpp"
#include "analyzer/simulation/calibration/sharing.hpp"

namespace waitdiag {
namespace {

constexpr std::uint64_t kFirstGridSize = 64;
constexpr double kGridStep = 1.189207115;  // four sizes for each doubling
constexpr int kRefinements = 7;            // from a step of the grid to less than 1 %
constexpr int kTests = 8;                  // of the machine, with sizes that were not fitted
constexpr double kGoodEnough = 0.07;       // error over all sizes at which the tests end early
constexpr double kTolerated = 0.1;         // ... at which they may end
constexpr double kMissed = 0.05;           // error of a size above which it is examined more closely
constexpr double kApart = 1.08, kApartWhereMissed = 1.01;  // factors between sizes that leave room for a test
constexpr double kLateBase = 100e3;                        // ns
constexpr double kLateFactor = 5;                          // how late a receive is, in times of a message
constexpr double kHereBefore = 0.5;  // of a message's time: receiving takes less if the data was here before
constexpr double kCold = 300;        // ns: by how much two such measurements may differ after a pause
constexpr double kLeastShare = 0.2;  // of a message's time that is not processor time
constexpr double kNoOverhead = 1;    // ns

class Calibrator {
 public:
  Calibrator(Laboratory& laboratory, const CalibrationOptions& options)
      : laboratory_(laboratory), options_(options) {}

  Calibration run() {
    Machine& machine = result_.machine;
    machine.name = "calibrated";
    find_groups();
    if (levels_.empty()) return std::move(result_);
    machine.levels.resize(levels_.size());
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      machine.levels[l].name = levels_[l].name;
      if (l > 0) machine.levels[l].units = levels_[l].units;
      result_.levels.push_back({.name = levels_[l].name, .pair = pair_of(l)});
      measure(l);
    }
    if (disturbed_ > 0)
      result_.assumed.push_back(std::to_string(disturbed_) +
                                " sizes took clearly longer than larger ones and were left out as disturbed");
    find_limits();
    find_overheads();
    for (std::size_t l = 0; l < levels_.size(); ++l) fit_and_test(l);
    tell("messages at the same time");
    for (std::string& note : find_sharing(laboratory_, levels_, machine))
      result_.assumed.push_back(std::move(note));
    if (machine.levels.size() > levels_.size()) {
      Calibration::Level backplane = result_.levels.front();
      backplane.name = machine.levels.front().name;
      result_.levels.insert(result_.levels.begin(), std::move(backplane));
    }
    tell("combining");
    machine.reduction_ns_per_byte = laboratory_.combine_ns_per_byte();
    return std::move(result_);
  }

 private:
  void tell(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  void find_groups() {
    const std::size_t ranks = laboratory_.hosts().size();
    tell("who is how far from whom");
    latencies_ = PairLatencies(ranks);
    for (std::uint32_t a = 0; a < ranks; ++a)
      for (std::uint32_t b = 0; b < a; ++b) latencies_.set(a, b, laboratory_.ping_pong({b, a}, 0, true).ns);
    levels_ = find_levels(latencies_, laboratory_.hosts());
  }

  // Two ranks at the median distance of the level.
  RankPair pair_of(std::size_t l) const {
    std::vector<std::pair<double, RankPair>> pairs;
    for (std::uint32_t a = 0; a < latencies_.ranks(); ++a)
      for (std::uint32_t b = a + 1; b < latencies_.ranks(); ++b)
        if (level_between(levels_, a, b) == l) pairs.push_back({latencies_(a, b), {a, b}});
    std::ranges::stable_sort(pairs, {}, &std::pair<double, RankPair>::first);
    return pairs[(pairs.size() - 1) / 2].second;
  }

  // Measures a grid of sizes, then the places where the line breaks.
  void measure(std::size_t l) {
    Calibration::Level& level = result_.levels[l];
    tell("messages on level " + level.name);
    MeasuredSizes sizes(laboratory_, level.pair);
    std::vector<std::uint64_t> grid = {0, 4, 16, 32};
    for (double size = kFirstGridSize; size <= static_cast<double>(options_.largest_bytes) * 1.001;
         size *= kGridStep)
      grid.push_back(static_cast<std::uint64_t>(std::lround(size)));
    sizes.add(grid);
    disturbed_ += sizes.leave_out_disturbed();
    for (int round = 0; round < kRefinements && !laboratory_.time_is_over(); ++round) {
      const std::vector<TimedSize> known = sizes.list();
      const auto more = sizes_between(fit_pieces(known), known);
      if (more.empty()) break;
      sizes.add(more);
    }
    disturbed_ += sizes.leave_out_disturbed();
    level.samples = sizes.list();
  }

  const Calibration::Level& outermost() const { return result_.levels.front(); }
  double time_alone(std::uint64_t bytes) const {
    const std::vector<TimedSize>& samples = outermost().samples;
    const auto next = std::ranges::lower_bound(samples, bytes, {}, &TimedSize::bytes);
    return next == samples.end() ? samples.back().ns : next->ns;
  }
  Laboratory::LateReceive late(std::uint64_t bytes) {
    return laboratory_.late_receive(outermost().pair, bytes, late_by(bytes));
  }
  double late_by(std::uint64_t bytes) const { return kLateBase + kLateFactor * time_alone(bytes); }
  bool sender_goes_on(std::uint64_t bytes) { return late(bytes).sender_ns < late_by(bytes) / 2; }
  // In addition to the time of a receive that was posted long before its message came.
  bool data_goes_ahead(std::uint64_t bytes) {
    const double here = laboratory_.receive(outermost().pair, bytes).ns;
    return late(bytes).receiver_ns < here + kHereBefore * time_alone(bytes) + kCold;
  }

  // The largest size up to `most` for which `holds` is true, as it is for all smaller ones.
  template <typename Predicate>
  static std::uint64_t last_size(std::uint64_t most, Predicate holds) {
    std::uint64_t yes = 0, no = most + 1;
    while (yes + 1 < no) {
      const std::uint64_t middle = yes + (no - yes) / 2;
      (holds(middle) ? yes : no) = middle;
    }
    return yes;
  }

  void find_limits() {
    tell("eager limits");
    Machine& machine = result_.machine;
    const std::uint64_t most = options_.largest_bytes;
    machine.detached_bytes = last_size(most, [&](std::uint64_t bytes) { return sender_goes_on(bytes); });
    machine.eager = data_goes_ahead(0);
    machine.eager_bytes =
        machine.eager
            ? last_size(machine.detached_bytes, [&](std::uint64_t bytes) { return data_goes_ahead(bytes); })
            : 0;
    largest_detached_ = machine.detached_bytes;
    if (machine.detached_bytes < most) return;
    if (machine.eager_bytes == machine.detached_bytes) machine.eager_bytes = UINT64_MAX;
    machine.detached_bytes = UINT64_MAX;
    result_.assumed.push_back("no message was large enough to wait for its receive");
  }

  // Processor time: a line for messages that need no receiver, a constant for the others, whose data is part
  // of the fits of the levels.
  void find_overheads() {
    tell("overheads");
    std::vector<TimedSize> send, isend, receive;
    for (std::uint64_t bytes = 1; bytes <= largest_detached_; bytes *= 4) {
      send.push_back(laboratory_.send(outermost().pair, bytes, true));
      isend.push_back(laboratory_.send(outermost().pair, bytes, false));
      receive.push_back(laboratory_.receive(outermost().pair, bytes));
    }
    const TimedSize large = laboratory_.send(outermost().pair, options_.largest_bytes, false);
    const auto line = [](const std::vector<TimedSize>& samples) {
      const bool none = std::ranges::all_of(samples, [](const TimedSize& s) { return s.ns < kNoOverhead; });
      return none ? LinearPiece{} : fit_line(samples);
    };
    const LinearPiece sends = line(send), isends = line(isend), receives = line(receive);
    MessageOverhead below{0,
                          sends.fixed_ns,
                          sends.ns_per_byte,
                          isends.fixed_ns,
                          isends.ns_per_byte,
                          receives.fixed_ns,
                          receives.ns_per_byte};
    const double fixed = large.ns < kNoOverhead ? 0 : large.ns;
    const MessageOverhead above{largest_detached_ + 1, fixed, 0, fixed, 0, receives.fixed_ns, 0};
    const auto costs = [](const MessageOverhead& one) {
      return one.send_ns + one.send_ns_per_byte + one.isend_ns + one.isend_ns_per_byte + one.receive_ns +
                 one.receive_ns_per_byte >
             0;
    };
    if (!costs(below) && !costs(above)) return;
    result_.machine.overheads.push_back(below);
    if (result_.machine.detached_bytes != UINT64_MAX) result_.machine.overheads.push_back(above);
    bound_overheads();
  }

  // After a pause a processor is slower than in a series of messages: the overhead cannot be more than the
  // message's time.
  void bound_overheads() {
    for (MessageOverhead& one : result_.machine.overheads) {
      double part = 1;
      for (const Calibration::Level& level : result_.levels)
        for (const TimedSize& sample : level.samples)
          if (overhead_of(result_.machine, sample.bytes) == &one && overhead(sample.bytes) > 0)
            part = std::min(part, (1 - kLeastShare) * sample.ns / overhead(sample.bytes));
      for (double* value : {&one.send_ns, &one.send_ns_per_byte, &one.isend_ns, &one.isend_ns_per_byte,
                            &one.receive_ns, &one.receive_ns_per_byte})
        *value *= part;
    }
  }

  double overhead(std::uint64_t bytes) const {
    const MessageOverhead* const one = overhead_of(result_.machine, bytes);
    if (one == nullptr) return 0;
    const auto size = static_cast<double>(bytes);
    return one->send_ns + one->receive_ns + (one->send_ns_per_byte + one->receive_ns_per_byte) * size;
  }

  // Fits what is left of a message's time without processor time.
  void fit(std::size_t l) {
    Calibration::Level& level = result_.levels[l];
    std::vector<TimedSize> rest = level.samples;
    for (TimedSize& sample : rest) {
      const double all = sample.ns;
      sample.ns = std::max(kLeastShare * all, all - overhead(sample.bytes));
      sample.spread *= all / sample.ns;
    }
    std::vector<SizeInterval>& intervals = result_.machine.levels[l].intervals;
    intervals.clear();
    for (const LinearPiece& piece : fit_pieces(rest))
      intervals.push_back({piece.from, piece.fixed_ns, piece.ns_per_byte});
    level.error = error_of(l, level.samples);
  }

  FitError error_of(std::size_t l, std::span<const TimedSize> samples) const {
    return waitdiag::error_of(samples, [&](std::uint64_t bytes) {
      const SizeInterval* const cost = interval_of(result_.machine.levels[l], bytes);
      return cost->latency_ns + cost->ns_per_byte * static_cast<double>(bytes) + overhead(bytes);
    });
  }

  bool missed(std::size_t l, const TimedSize& sample) const {
    return std::abs(error_of(l, {&sample, 1}).worst) > kMissed;
  }

  // Sizes between the fitted ones show how good the machine is for any size. Those that it misses are fitted
  // as well, and so are the neighbours of fitted ones that it misses; then others are tested.
  void fit_and_test(std::size_t l) {
    Calibration::Level& level = result_.levels[l];
    tell("other sizes on level " + level.name);
    MeasuredSizes others(laboratory_, level.pair);
    for (int test = 1;; ++test) {
      fit(l);
      const std::vector<std::uint64_t> sizes = sizes_between_fitted(l);
      others.add(sizes);
      others.leave_out_disturbed();
      std::vector<TimedSize> tested = others.list();
      std::erase_if(
          tested, [&](const TimedSize& sample) { return !std::ranges::binary_search(sizes, sample.bytes); });
      level.other_sizes = tested.size();
      level.other_error = error_of(l, tested);
      const double worst = std::max(std::abs(level.error.worst), std::abs(level.other_error.worst));
      if (worst <= kGoodEnough) return;
      if (test == kTests || laboratory_.time_is_over()) {
        if (worst > kTolerated)
          result_.assumed.push_back("level " + level.name +
                                    ": times for some sizes do not repeat, see the errors (is the machine "
                                    "idle? are ranks bound to cores?)");
        return;
      }
      const std::vector<TimedSize> fitted = level.samples;
      for (const TimedSize& sample : tested) {
        const auto next = std::ranges::upper_bound(fitted, sample.bytes, {}, &TimedSize::bytes);
        if (missed(l, sample) || missed(l, *next) || missed(l, *std::prev(next)))
          level.samples.push_back(sample);
      }
      std::ranges::sort(level.samples, {}, &TimedSize::bytes);
    }
  }

  // Sizes in the middle between fitted ones that are not close to each other.
  std::vector<std::uint64_t> sizes_between_fitted(std::size_t l) const {
    const std::vector<TimedSize>& fitted = result_.levels[l].samples;
    std::vector<std::uint64_t> sizes;
    for (std::size_t i = 0; i + 1 < fitted.size(); ++i) {
      const auto low = static_cast<double>(fitted[i].bytes), high = static_cast<double>(fitted[i + 1].bytes);
      const bool closer = missed(l, fitted[i]) || missed(l, fitted[i + 1]);
      if (high > std::max(low * (closer ? kApartWhereMissed : kApart), low + 1))
        sizes.push_back(static_cast<std::uint64_t>(std::lround(std::sqrt(std::max(1.0, low) * high))));
    }
    return sizes;
  }

  Laboratory& laboratory_;
  const CalibrationOptions& options_;
  Calibration result_;
  PairLatencies latencies_{0};
  std::vector<FoundLevel> levels_;
  std::uint64_t largest_detached_ = 0;
  std::size_t disturbed_ = 0;  // sizes that were left out
};

}  // namespace

Calibration calibrate(Laboratory& laboratory, const CalibrationOptions& options) {
  return Calibrator(laboratory, options).run();
}

}  // namespace waitdiag
