// How many bytes go from each rank to each other one, in an operation of all ranks whose blocks differ (MPI_Alltoallv).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "analyzer/scaling/program_laws/slot_records.hpp"
#include "analyzer/scaling/quantity_laws/size_law.hpp"

namespace waitdiag {

class PairLaw {
 public:
  using FindSizes = std::function<std::shared_ptr<const SizeLaw>(const RecordedSizes&)>;
  // Ranks that are as far apart exchange as much in all runs, around the ranks or not: so they do in the target, and what
  // is farther away than in any run continues as the farthest do. So do means of what differs by chance, if that is less
  // than distances explain; each pair then keeps its ratio to the mean of one as far apart. Otherwise blocks keep their
  // ratio to the mean of all in the largest run.
  PairLaw(const Study& study, const CollectiveRecords& recorded, const FindSizes& sizes);

  double at(int from, int to, const Turn& turn) const;
  // All pairs exchange as much, an exact multiple of one factor.
  bool exact() const;
  const SizeLaw* key() const { return unit_.get(); }  // the same for calls with the same figures

 private:
  enum class Ways : std::uint8_t { Along, Around, AnyPair };
  using Matrix = std::vector<std::vector<double>>;
  std::vector<double> by_distance(const Matrix& bytes) const;
  bool find_by_distance(const Study& study, const CollectiveRecords& recorded, const FindSizes& sizes);
  bool find_means(const Study& study, const CollectiveRecords& recorded, const FindSizes& sizes);
  std::vector<double> means_by_distance(const Matrix& bytes) const;
  double ratio_of(int from, int distance) const;
  int distance(int from, int to, int ranks) const;
  double farther(int distance) const;

  Ways ways_ = Ways::AnyPair;
  bool means_ = false;                     // of distances: pairs differ from them
  int ranks_ = 0;                          // of the target
  std::shared_ptr<const SizeLaw> unit_{};  // the mean, or at the distance where it is largest
  Matrix of_pairs_{};                      // to it, in the largest run: by sender and receiver
  std::vector<double> of_distance_{};      // or by distance, from the most negative one
};

}  // namespace waitdiag
