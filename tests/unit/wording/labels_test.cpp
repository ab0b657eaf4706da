// What causes are called in sentences.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/wording/labels.hpp"

namespace waitdiag {
namespace {

TEST(WaitingLabel, SaysWhatAFunctionWaitedFor) {
  EXPECT_EQ(waiting_label("checkpoint (blocked in write (out.*.dat))", "io"), "I/O of checkpoint()");
  EXPECT_EQ(waiting_label("main (blocked in pthread_join)", "threads"), "waiting for threads in main()");
  EXPECT_EQ(waiting_label("step (blocked in or below it)", "something"), "being blocked in step()");
  EXPECT_EQ(waiting_label("read (waiting for pages)", "pages"), "waiting for pages in read()");
}

TEST(DistinctName, NamesTheCallersOfWhatIsBlocked) {
  const std::string function = "nap (blocked in usleep)", path = "main/fill/nap/usleep/(blocked)";
  EXPECT_EQ(distinct_name(path, function, {path}), function);
  EXPECT_EQ(distinct_name(path, function, {path, "main/relax/nap/usleep/(blocked)"}), "fill/" + function);
}

TEST(DistinctName, LeavesOutWhatLongNamesHaveInCommon) {
  const std::string common =
      "/update_halo/halo_exchange_module::exchange_of_all_fields/unpack_kernel_module::unpack_left";
  const auto name = [&](const std::string& top, const std::string& other) {
    return distinct_name("main/" + top + common, "unpack_kernel_module::unpack_left",
                         {"main/" + top + common, "main/" + other + common});
  };
  EXPECT_EQ(name("advection", "timestep"), "advection/.../unpack_kernel_module::unpack_left()");
  EXPECT_EQ(name("timestep", "advection"), "timestep/.../unpack_kernel_module::unpack_left()");
}

TEST(WorkSentence, TellsMoreWorkFromSlowerWork) {
  const WorkDifference more{.instructions = 118e6,
                            .other_instructions = 100e6,
                            .ipc = 1.9,
                            .other_ipc = 1.88,
                            .hz = 2e9,
                            .other_hz = 2e9};
  EXPECT_EQ(work_sentence(more, "rank 3"),
            "18 % more instructions on rank 3 than on the others, 1.90 in a cycle on both.");
  const WorkDifference slower{.instructions = 101e6,
                              .other_instructions = 100e6,
                              .ipc = 1.2,
                              .other_ipc = 1.9,
                              .hz = 1.8e9,
                              .other_hz = 2e9};
  EXPECT_EQ(work_sentence(slower, "rank 3"),
            "As many instructions on rank 3 as on the others, 1.20 in a cycle instead of 1.90, the clock 10 "
            "% slower.");
}

}  // namespace
}  // namespace waitdiag
