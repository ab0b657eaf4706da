// The two names of a collective operation: OTF2's and ours.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include "analyzer/trace/model/timeline.hpp"

namespace waitdiag {

// Operations that OTF2 does not have in our sense are CollectiveKind::Other.
CollectiveKind collective_kind(OTF2_CollectiveOp op);

// An operation that is read as `kind`; Neighbourhood, which needs an attribute besides, goes as Alltoallw,
// and FileCall, for which the called function tells, as Barrier.
OTF2_CollectiveOp collective_op(CollectiveKind kind);

}  // namespace waitdiag
