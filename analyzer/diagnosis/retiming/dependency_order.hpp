// Puts calls into an order in which all dependencies lie behind: every location goes on until a call needs
// one that has not been entered yet.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/retiming/dependencies.hpp"

namespace waitdiag {

class DependencyOrder {
 public:
  DependencyOrder(const Trace& trace, Dependencies& dependencies);

  // Dependencies that go round in a circle (calls at the very same instant) are dropped from `dependencies`.
  std::vector<Dependencies::Run> find();

 private:
  using Node = Dependencies::Node;
  void go_on(std::uint32_t location);
  void append(Node node, bool to_run);
  bool is_ready(std::uint32_t location, Node call, Node& missing);
  bool is_complete(std::uint32_t location, Node gathering, Node& missing);
  void sleep(std::uint32_t location, Node missing);
  void wake(std::uint32_t location);
  void start_again();
  std::uint32_t stuck_longest() const;

  const Trace& trace_;
  Dependencies& dependencies_;
  std::vector<std::uint32_t> left_;  // by location: so many calls are over
  std::vector<std::uint32_t> seen_;  // by gathering: so many members have been entered
  std::vector<bool> entered_;        // by call
  std::vector<bool> complete_;       // by gathering
  // One location watches the next missing member of a gathering; who else needs it sleeps until it is
  // complete. kNoOp: nobody.
  std::vector<std::uint32_t> watcher_, gathering_sleeper_;  // by gathering
  // By location: the call it waits to be entered; the first of those that wait for a call of it; the earliest
  // of these calls. kNoOp: none.
  std::vector<std::uint32_t> missing_op_, sleeper_, earliest_;
  std::vector<std::uint32_t> next_sleeper_;  // by location: that waits for the same
  std::vector<bool> asleep_;
  std::vector<std::uint32_t> awake_;
  std::size_t done_ = 0;  // nodes in order_
  std::vector<Dependencies::Run> order_;
};

}  // namespace waitdiag
