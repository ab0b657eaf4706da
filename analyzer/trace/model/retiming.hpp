// Who makes a trace of another one is a part of this class: Trace and Timeline let it at their columns. Only
// for joined_polls.cpp, retimed.cpp and shortened.cpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitdiag {

class Retiming {
 public:
  class Times;
  class Shortening;
  class Joining;
};

}  // namespace waitdiag
