// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rank_laws/drawn_partners.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <set>

namespace waitdiag {
namespace {

// Of one run, or of several instances there.
struct RunFigures {
  double ranks = 0, partners = 0, distance = 0;  // means
};

std::vector<RunFigures> figures_of(const Study& study, const RecordedGraph& recorded) {
  std::vector<RunFigures> figures;
  for (std::size_t run = 0; run < study.sizes.size(); ++run) {
    double instances = 0, edges = 0, distance = 0;
    for (std::size_t i = 0; i < recorded.edges.size(); ++i) {
      if (recorded.instances[i].run != run) continue;
      ++instances;
      for (const auto& [edge, bytes] : recorded.edges[i]) {
        ++edges;
        distance += std::abs(edge.second - edge.first);
      }
    }
    const double ranks = study.sizes[run].ranks;
    if (edges > 0) figures.push_back({ranks, edges / instances / ranks, distance / edges});
  }
  return figures;
}

// y = a + b x, the mean of a run known the better the more ranks it has.
struct Trend {
  double a = 0, b = 0;
  double at(double x) const { return a + b * x; }
};

Trend fit(const std::vector<RunFigures>& runs, const std::function<double(double)>& x,
          const std::function<double(const RunFigures&)>& y) {
  double weight = 0, mean_x = 0, mean_y = 0, square = 0, product = 0;
  for (const RunFigures& run : runs) {
    weight += run.ranks;
    mean_x += run.ranks * x(run.ranks);
    mean_y += run.ranks * y(run);
  }
  mean_x /= weight;
  mean_y /= weight;
  for (const RunFigures& run : runs) {
    square += run.ranks * (x(run.ranks) - mean_x) * (x(run.ranks) - mean_x);
    product += run.ranks * (x(run.ranks) - mean_x) * (y(run) - mean_y);
  }
  const double slope = square > 0 ? product / square : 0;
  return {mean_y - slope * mean_x, slope};
}

// How many partners a rank of the target has on average: as many, or as many but for those at the surface of a domain,
// or with the number of all others. What predicts the largest run from the others at half the error of simpler ones
// counts.
double partners_in_target(const std::vector<RunFigures>& runs, double ranks) {
  const auto partners = [](const RunFigures& run) { return run.partners; };
  double best_error = std::abs(runs.back().partners - (runs.end() - (runs.size() > 1 ? 2 : 1))->partners);
  double found = runs.back().partners;
  if (runs.size() < 3) return found;
  const std::vector<RunFigures> others(runs.begin(), runs.end() - 1);
  constexpr double kLeast = 1e-9;
  const std::function<double(double)> shapes[] = {
      [](double p) { return 1 / p; }, [](double p) { return 1 / std::sqrt(p); },
      [](double p) { return 1 / std::cbrt(p); }, [](double p) { return std::log2(p); },
      [](double p) { return p; }};
  for (const auto& shape : shapes) {
    const double error = std::abs(fit(others, shape, partners).at(runs.back().ranks) - runs.back().partners);
    if (best_error <= kLeast || error > best_error / 2) continue;
    best_error = error;
    found = fit(runs, shape, partners).at(ranks);
  }
  return std::clamp(found, 0.0, ranks - 1);
}

// The power of the number of ranks with which distances grow.
double growth_of_distance(const std::vector<RunFigures>& runs) {
  if (runs.size() < 2) return 1;
  const Trend line = fit(
      runs, [](double ranks) { return std::log(ranks); },
      [](const RunFigures& run) { return std::log(std::max(run.distance, 1.0)); });
  return std::clamp(line.b, 0.0, 1.0);
}

// A partner in the largest run.
struct SourcePartner {
  int offset = 0;
  std::vector<double> there{}, back{};  // ratios of each message's bytes
};

class GraphDraw {
 public:
  GraphDraw(const Study& study, const RecordedGraph& recorded, std::uint64_t seed)
      : random_(seed), ranks_(study.target.ranks) {
    const std::vector<RunFigures> runs = figures_of(study, recorded);
    both_ways_ = std::ranges::all_of(recorded.edges, [](const GraphEdges& edges) {
      return std::ranges::all_of(edges, [&](const auto& one) {
        return edges.contains({one.first.second, one.first.first});
      });
    });
    take_source(study, recorded);
    if (runs.empty() || sources_.empty()) return;
    more_partners_ = partners_in_target(runs, ranks_) / runs.back().partners;
    farther_ = std::pow(ranks_ / runs.back().ranks, growth_of_distance(runs));
  }

  DrawnGraph run() {
    to_.resize(static_cast<std::size_t>(ranks_));
    if (!sources_.empty()) {
      wish();
      for (const Wish& one : wishes_)
        if (!give(one)) left_.push_back(one);
      for (const Wish& one : left_) exchange(one);
    }
    auto to = std::make_shared<DrawnPartners>(), from = std::make_shared<DrawnPartners>();
    to->of_rank.resize(to_.size());
    from->of_rank.resize(to_.size());
    for (int rank = 0; rank < ranks_; ++rank)
      for (const auto& [other, ratios] : to_[static_cast<std::size_t>(rank)])
        for (const double ratio : ratios) {
          to->of_rank[static_cast<std::size_t>(rank)].push_back({other, ratio});
          from->of_rank[static_cast<std::size_t>(other)].push_back({rank, ratio});
        }
    return {std::move(to), std::move(from)};
  }

 private:
  struct Source {
    std::vector<SourcePartner> to{};
    std::size_t from = 0;  // partners that send to it
  };
  struct Wish {
    int rank = 0, place = 0;  // of the partner
    const SourcePartner* like = nullptr;
  };

  double chance() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  int chance(int below) { return std::min(below - 1, static_cast<int>(chance() * below)); }
  template <typename Value>
  void shuffle(std::vector<Value>& values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[static_cast<std::size_t>(chance(static_cast<int>(i)))]);
  }

  // The largest run's last instance that has any messages.
  void take_source(const Study& study, const RecordedGraph& recorded) {
    for (std::size_t i = recorded.edges.size(); i-- > 0;) {
      const GraphEdges& edges = recorded.edges[i];
      if (edges.empty()) continue;
      sources_.resize(static_cast<std::size_t>(study.sizes[recorded.instances[i].run].ranks));
      for (const auto& [edge, ratios] : edges) {
        const auto back = edges.find({edge.second, edge.first});
        sources_[static_cast<std::size_t>(edge.first)].to.push_back(
            {edge.second - edge.first, ratios, back == edges.end() ? ratios : back->second});
        ++sources_[static_cast<std::size_t>(edge.second)].from;
      }
      return;
    }
  }

  // A rank that lies about there in the largest run.
  const Source& source_of(int rank) {
    const auto all = static_cast<double>(sources_.size());
    constexpr double kAbout = 0.125;
    const double place = (rank + chance()) / ranks_ + kAbout * (2 * chance() - 1);
    const int at = static_cast<int>(std::floor(place * all));
    return sources_[static_cast<std::size_t>(std::clamp(at, 0, static_cast<int>(all) - 1))];
  }

  std::size_t partners(std::size_t recorded) {
    const double wanted = static_cast<double>(recorded) * more_partners_;
    const double whole = std::floor(wanted + 1e-9);
    const auto count = static_cast<std::size_t>(whole) + (chance() < wanted - whole ? 1 : 0);
    return std::min(count, static_cast<std::size_t>(ranks_ - 1));
  }

  int place_of_partner(int rank, int offset) {
    const double by = std::abs(offset) * farther_ + (chance() - 0.5) * (farther_ - 1);
    const int distance = std::max(1, static_cast<int>(std::lround(by)));
    int place = rank + (offset > 0 ? distance : -distance);
    if (place < 0 || place >= ranks_) place = rank - (offset > 0 ? distance : -distance);
    return std::clamp(place, 0, ranks_ - 1);
  }

  void wish() {
    for (int rank = 0; rank < ranks_; ++rank) {
      const Source& source = source_of(rank);
      const std::size_t count = source.to.empty() ? 0 : partners(source.to.size());
      std::vector<const SourcePartner*> like;
      while (like.size() < count)
        for (const SourcePartner& one : source.to) like.push_back(&one);
      shuffle(like);
      like.resize(count);
      for (const SourcePartner* one : like)
        wishes_.push_back({rank, place_of_partner(rank, one->offset), one});
      room_.push_back(static_cast<int>(both_ways_ ? count : partners(source.from)));
    }
    if (!both_ways_) even_out();
    for (int rank = 0; rank < ranks_; ++rank)
      if (room_[static_cast<std::size_t>(rank)] > 0) open_.insert(rank);
    shuffle(wishes_);
  }

  // As many messages are received as are sent.
  void even_out() {
    auto missing = static_cast<std::int64_t>(wishes_.size()) - std::accumulate(room_.begin(), room_.end(), 0);
    std::vector<std::size_t> open;
    for (std::size_t rank = 0; rank < room_.size(); ++rank)
      if (room_[rank] > 0) open.push_back(rank);
    if (open.empty()) return;
    const std::int64_t by = missing > 0 ? 1 : -1;
    for (; missing != 0; missing -= by) {
      int* room = nullptr;
      do room = &room_[open[static_cast<std::size_t>(chance(static_cast<int>(open.size())))]];
      while (by < 0 && *room == 0);
      *room += static_cast<int>(by);
    }
  }

  bool connected(int rank, int other) const { return to_[static_cast<std::size_t>(rank)].contains(other); }
  void take_room(int rank) {
    if (--room_[static_cast<std::size_t>(rank)] == 0) open_.erase(rank);
  }
  void connect(int rank, int other, const SourcePartner& like) {
    to_[static_cast<std::size_t>(rank)][other] = like.there;
    if (both_ways_) to_[static_cast<std::size_t>(other)][rank] = like.back;
  }

  // The nearest rank to the wished place that has room. True also: the rank was itself chosen before.
  bool give(const Wish& wish) {
    if (both_ways_ && !open_.contains(wish.rank)) return true;
    constexpr int kMost = 64;  // are looked at on each side
    auto up = open_.lower_bound(wish.place), down = up;
    for (int tries = 0; tries < 2 * kMost && (up != open_.end() || down != open_.begin()); ++tries) {
      const bool upward =
          down == open_.begin() || (up != open_.end() && *up - wish.place <= wish.place - *std::prev(down));
      const int other = upward ? *up++ : *--down;
      if (other == wish.rank || connected(wish.rank, other)) continue;
      connect(wish.rank, other, *wish.like);
      take_room(other);
      if (both_ways_) take_room(wish.rank);
      return true;
    }
    return false;
  }

  // Nobody is left but the rank itself and its partners: somebody else's partner becomes its own, and the rank with room
  // that of the other one.
  void exchange(const Wish& wish) {
    if (both_ways_ || open_.empty()) return;
    constexpr int kTries = 1000;
    const int with_room = *open_.begin();
    for (int tries = 0; tries < kTries; ++tries) {
      const int other = chance(ranks_);
      auto& partners = to_[static_cast<std::size_t>(other)];
      if (other == wish.rank || other == with_room || partners.empty() || connected(other, with_room))
        continue;
      const auto taken = std::next(partners.begin(), chance(static_cast<int>(partners.size())));
      if (taken->first == wish.rank || connected(wish.rank, taken->first)) continue;
      to_[static_cast<std::size_t>(wish.rank)][taken->first] = wish.like->there;
      partners[with_room] = taken->second;
      partners.erase(taken);
      take_room(with_room);
      return;
    }
  }

  std::mt19937_64 random_;
  int ranks_;
  bool both_ways_ = false;
  double more_partners_ = 1, farther_ = 1;
  std::vector<Source> sources_;
  std::vector<Wish> wishes_, left_;
  std::vector<int> room_;  // by rank: for partners that choose it
  std::set<int> open_;     // ranks with room
  std::vector<std::map<int, std::vector<double>>> to_;
};

std::vector<GraphEdges> turned_round(const std::vector<GraphEdges>& all) {
  std::vector<GraphEdges> turned;
  for (const GraphEdges& edges : all) {
    GraphEdges& other = turned.emplace_back();
    for (const auto& [edge, ratios] : edges) other[{edge.second, edge.first}] = ratios;
  }
  return turned;
}

}  // namespace

double mean_bytes(const GraphEdges& edges) {
  double sum = 0, count = 0;
  for (const auto& [edge, bytes] : edges) {
    sum = std::accumulate(bytes.begin(), bytes.end(), sum);
    count += static_cast<double>(bytes.size());
  }
  return count > 0 ? sum / count : 0;
}

DrawnGraph PartnerDraws::draw(const RecordedGraph& recorded) {
  RecordedGraph relative = recorded;
  for (GraphEdges& edges : relative.edges) {
    const double mean = mean_bytes(edges);
    for (auto& [edge, bytes] : edges)
      for (double& one : bytes) one = mean > 0 ? one / mean : 1;
  }
  const auto [found, is_new] = known_.try_emplace(relative.edges);
  if (!is_new) return found->second;
  if (const auto turned = known_.find(turned_round(relative.edges));
      turned != found && turned != known_.end())
    return found->second = {turned->second.from, turned->second.to};
  constexpr std::uint64_t kApart = 1'000'003;
  const std::uint64_t seed = static_cast<std::uint64_t>(study_.draw) * kApart + known_.size();
  return found->second = GraphDraw(study_, relative, seed).run();
}

}  // namespace waitdiag
