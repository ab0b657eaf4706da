// Measurements by MPI: rank 0 asks for them and takes part in them, the others serve (Participant).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/simulation/calibration/laboratory.hpp"
#include "tools/calibrate/participant.hpp"

namespace waitdiag::measuring {

class MpiLaboratory : public Laboratory {
 public:
  // `repetitions` of a measurement, or fewer if all of them together would take more than `seconds`.
  MpiLaboratory(Participant& participant, std::vector<std::string> hosts, int repetitions, double seconds);
  ~MpiLaboratory() override;

  const std::vector<std::string>& hosts() const override { return hosts_; }
  TimedSize ping_pong(RankPair pair, std::uint64_t bytes, bool quick) override;
  TimedSize send(RankPair pair, std::uint64_t bytes, bool blocking) override;
  TimedSize receive(RankPair pair, std::uint64_t bytes) override;
  LateReceive late_receive(RankPair pair, std::uint64_t bytes, double late_ns) override;
  double flows(std::span<const RankPair> pairs, std::uint64_t bytes) override;
  double combine_ns_per_byte() override;
  bool time_is_over() const override;

 private:
  // What the sender and the receiver measured.
  std::pair<Measured, Measured> with_pair(RankPair pair, Order order);

  Participant& own_;
  std::vector<std::string> hosts_;
  int repetitions_, ranks_ = 0;
  double budget_s_, end_s_ = 0;
};

}  // namespace waitdiag::measuring
