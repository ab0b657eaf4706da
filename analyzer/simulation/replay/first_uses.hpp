// What the first operation of its kind in a communicator takes beyond the later ones: an MPI library sets up
// connections, trees or communicators of its own there.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <set>

#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// The same trace; its communicators tell what their first operations take (Communicator::first_uses). From when
// the last member has come to when the last one leaves, a first operation has to take twice as long as any
// later one with about as many bytes, and as long as these differ; eight times as long where there is only one. What was
// known of a trace before is replaced.
Trace with_first_uses(Trace trace, const SyncPoints& sync);

// Operations of few bytes that are the only ones of their kind in their communicator have no later ones. The same trace, as if
// all of their time were such; nothing: there are none.
std::optional<Trace> with_single_uses_as_recorded(const Trace& trace, const SyncPoints& sync);
// Their time is compared with that in the same run, `replayed` on its machine: the kinds of which one takes eight times as long.
std::set<CollectiveKind> dear_single_uses(const Trace& trace, const SyncPoints& sync, const Trace& replayed);
// The same trace; its communicators tell what such operations of these kinds take beyond the replay as well.
Trace with_single_uses(const Trace& trace, const SyncPoints& sync, const Trace& replayed,
                       const std::set<CollectiveKind>& kinds);

}  // namespace waitdiag
