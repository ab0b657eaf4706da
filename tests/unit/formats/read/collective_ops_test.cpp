// Operations keep their meaning when they are written and read again.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/collective_ops.hpp"

#include <gtest/gtest.h>

namespace waitdiag {
namespace {

TEST(CollectiveOps, AreReadAsTheyWereWritten) {
  for (int i = 0; i <= static_cast<int>(CollectiveKind::Exscan); ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    EXPECT_EQ(collective_kind(collective_op(kind)), kind) << i;
  }
  for (const CollectiveKind kind :
       {CollectiveKind::CreateHandle, CollectiveKind::DestroyHandle, CollectiveKind::Other})
    EXPECT_EQ(collective_kind(collective_op(kind)), kind);
  EXPECT_EQ(collective_op(CollectiveKind::FileCall), OTF2_COLLECTIVE_OP_BARRIER);
  EXPECT_EQ(collective_op(CollectiveKind::Neighbourhood), OTF2_COLLECTIVE_OP_ALLTOALLW);
}

}  // namespace
}  // namespace waitdiag
