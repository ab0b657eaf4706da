// Code that makes one trace from another is a part of this class: Trace and Timeline give it access to their
// columns. Only for joined_calls.cpp, joined_polls.cpp, ordered_receives.cpp, parts_of_call.cpp,
// retimed.cpp, shortened.cpp and untagged.cpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitdiag {

class Retiming {
 public:
  class Times;
  class Shortening;
  class Joining;
  class JoiningParts;
  class JoiningPolls;
  class JoiningRequests;
  class OrderingReceives;
  class Untagging;
};

}  // namespace waitdiag
