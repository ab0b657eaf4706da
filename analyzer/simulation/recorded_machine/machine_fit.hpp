// How the parameters of a machine are fitted to runs; recorded_machine.hpp says what for.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "analyzer/simulation/machine/collective_table.hpp"
#include "analyzer/simulation/recorded_machine/known_network.hpp"
#include "analyzer/simulation/recorded_machine/least_squares.hpp"
#include "analyzer/simulation/recorded_machine/machine_spread.hpp"
#include "analyzer/simulation/recorded_machine/places.hpp"
#include "analyzer/simulation/recorded_machine/protocol.hpp"
#include "analyzer/simulation/recorded_machine/transport.hpp"
#include "analyzer/simulation/replay/replay.hpp"

namespace waitdiag {

// What is compared with the recorded run.
struct FittedRun {
  const Trace* trace = nullptr;
  Program program{};
  std::unique_ptr<const TransportTimes> transport{};
  double communication_ns = 0;  // an average rank's time in calls after MPI_Init
  // Of a part that was cut out of a run: ranks that are not equally far there leave it at times that no run would have. By how
  // much more its end is off, in a replay, than that of the whole run.
  double cut_error = 0;
};

// How much longer the run is, relative to its communication: a machine may have all single times right and
// still miss that disturbances of some ranks hold up others.
double run_error(const FittedRun& run, const Replayed& replayed);

class MachineFit {
 public:
  // A machine's shape, and what was found for it.
  struct Shape {
    RecordedPlaces places{};
    Sharing sharing = Sharing::Duplex;  // of all levels
    bool eager = true;                  // data moves before its receive is posted
    std::uint64_t detached_bytes = UINT64_MAX;
    std::vector<std::uint32_t> blocks{};  // of ranks that are assumed to be near each other
    bool backplane =
        false;  // the outermost level is a port that all messages share, besides those of the nodes
    std::vector<std::uint64_t> sizes{0};  // from which messages have costs of their own
    const KnownNetwork* known = nullptr;  // whose costs of sizes these are instead
    // Logarithms of latency and ns per byte, level by level; then, where there are several sizes, of the factor
    // by which these hold for each.
    LeastSquares found{};
    // Which of the parameters are the costs of a level, and how much its port takes.
    struct Costs {
      std::size_t latency = 0, per_byte = 0, port = 0;
    };
    Costs costs(std::size_t level) const;
  };

  // All must outlive it.
  MachineFit(const std::vector<FittedRun>& runs, const RecordedProtocol& protocol, std::string collectives,
             const KnownNetwork* known);

  // All that were fitted, each once: the same shape is reached in several ways.
  using Tried = std::map<std::tuple<const KnownNetwork*, bool, std::uint64_t, Sharing,
                                    std::vector<std::uint32_t>, bool, std::size_t>,
                         Shape>;

  // The best shape, with about its best values; levels are searched for where the system tree says nothing. `tried`: gets all
  // others.
  Shape best(const RecordedPlaces& places, Tried& tried) const;
  // The same with the costs that the MPI library is known to have.
  Shape best_known(const RecordedPlaces& places, Tried& tried) const;
  // With these, and the levels of another shape.
  Shape known_like(const Shape& other) const;
  // A shape that was found in these runs, or in other parts of them, with the best values for these.
  Shape refined(Shape shape) const;
  // It explains the runs: levels and sizes need not be added. `times` as badly as that.
  bool is_good(const Shape& shape, double times = 1) const;
  // A few steps for the usual shape.
  Shape quick(const RecordedPlaces& places) const;
  Machine machine(const Shape& shape) const { return machine(shape, shape.found.parameters); }
  // Parameters of which only the most is known: what messages cost may be hidden behind computation in all runs.
  std::vector<std::size_t> hidden(const Shape& shape) const;
  // How far from the one that was found it may be.
  MachineSpread spread(const Shape& shape) const;
  // Machines that may be it as well: that differ in what runs may not show; cheaper in what is `hidden`. `tried`: in these
  // runs, or in parts of them.
  std::vector<Machine> others(const Shape& shape, const std::vector<std::size_t>& hidden,
                              const Tried& tried) const;
  // The dearest machine that no run tells from the one that was found, where computation hides all that messages cost in all
  // of them; nothing: it does not.
  std::optional<Machine> dearest(const Shape& shape) const;
  // With the narrowest port that all nodes may share without any run showing it. Nothing: such a port is known, or there is one
  // node.
  std::optional<Machine> narrowest(const Shape& shape) const;
  // Of a run on that machine, in these places.
  Replayed replayed(const Shape& shape, const FittedRun& run, std::size_t number) const;

 private:
  // A shape to be tried in place of another one, if its cost is below that one's by the factor.
  struct Variation {
    Shape shape{};
    double better = 1;
    double cost() const;
  };
  Shape first(const RecordedPlaces& places) const;
  Shape first_known(const RecordedPlaces& places) const;
  // Where `shape` has no values yet.
  std::vector<double> start(const Shape& shape, const Usual& usual) const;
  // Varied as long as that is better.
  Shape varied(Shape shape, Tried& tried) const;
  void fit_variations(std::vector<Variation>& those, Tried& tried) const;
  // The best values for `shape`, starting from those it has. Not `exactly`: replays without shared ports, which cost a
  // tenth, may tell what most of them are.
  // `hold`: times the usual weight of usual values.
  Shape fitted(Shape shape, int steps, bool exactly = false, double hold = 1) const;
  Machine machine(const Shape& shape, const std::vector<double>& parameters) const;
  std::vector<double> residuals(const Shape& shape, const std::vector<double>& parameters) const;
  // `sent`: gets the sizes of all messages, unless null.
  std::vector<double> residuals_on(const Machine& tried, const RecordedPlaces& places, SentSizes* sent) const;
  // To be tried in this order.
  std::vector<std::vector<Variation>> variations(const Shape& shape) const;
  void add_blocks(const Shape& shape, std::vector<Variation>& variations) const;
  static void add_backplanes(const Shape& shape, std::vector<Variation>& variations);
  static Usual usual_for(const Shape& shape);
  // That differ in what runs may not show, and explain them about as well.
  std::vector<Shape> as_good(const Shape& best, const Tried& tried) const;
  Shape without_blocks(Shape best) const;
  std::vector<Shape> other_blocks(const Shape& best) const;
  static Shape with_block(const Shape& like, std::uint32_t block);
  static Shape with_blocks(const Shape& like, std::vector<std::uint32_t> blocks);
  static Shape with_backplane(const Shape& like, double channels);
  static Shape without_values(Shape shape);

  const std::vector<FittedRun>& runs_;
  const RecordedProtocol& protocol_;
  std::string collectives_;
  CollectiveTable table_;
  const KnownNetwork* known_;
};

}  // namespace waitdiag
