// A shared object that is loaded and unloaded while the program runs. PLUGIN_FRAME: bytes of its stack frame.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/libwaitprof/callpath/call_trees.hpp"

extern "C" void call_back_from_plugin(void (*back)(waitprof::test::Chain&), waitprof::test::Chain& chain) {
  volatile char frame[PLUGIN_FRAME];
  frame[0] = 1;
  back(chain);
  frame[1] = frame[0];
}
