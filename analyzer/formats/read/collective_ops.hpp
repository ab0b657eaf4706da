// The two names of a collective operation: OTF2's and ours.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include "analyzer/trace/model/timeline.hpp"

namespace waitdiag {

// Operations that OTF2 does not have in our sense are CollectiveKind::Other.
CollectiveKind collective_kind(OTF2_CollectiveOp op);

// The OTF2 operation that is read back as `kind`; Neighbourhood, which also needs an attribute, is written as
// Alltoallw, and FileCall, which is recognised by the called function, as Barrier.
OTF2_CollectiveOp collective_op(CollectiveKind kind);

}  // namespace waitdiag
