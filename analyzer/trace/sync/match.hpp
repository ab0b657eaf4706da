// Which operations of different ranks belong together, kind by kind; match.cpp puts them together.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/trace/model/trace.hpp"
#include "analyzer/trace/sync/rank_locations.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// Messages: which send belongs to which receive.
// MPI's order: first in, first out for each (sender, receiver, communicator, tag), sends in sending order,
// receives in posting order with the source and tag really matched. Adds messages and anomalies to `sync`.
void match_messages(const Trace& trace, const RankLocations& locations, SyncPoints& sync);

// Collective instances: which parts of a communicator's members are one operation.
// The k-th collective of every member on one communicator is one instance; Init and Finalize are instances on
// MPI_COMM_WORLD. Freeing communicators is left out, and so is creating them where members differ in how many
// they create. Adds collectives and anomalies to `sync`.
void match_collectives(const Trace& trace, const RankLocations& locations, SyncPoints& sync);

// Barriers of the threads of one process (OpenMP's, explicit or at the end of a construct), by time: the
// threads share a clock, and no thread leaves a barrier before the last one has arrived. So the calls of
// different threads in one region are one barrier if the last one begins before the first one ends. This
// needs no records of teams, and holds for teams of any size; nested teams that are at the same barrier at
// the same time look like one. Adds one instance for each barrier that several threads were in. A barrier
// with a single thread in it is not an instance; where other threads of its process were in barriers, it is
// counted (anomaly "thread_barriers_alone").
void match_thread_barriers(const Trace& trace, const RankLocations& locations, SyncPoints& sync);

// Threads that call MPI: which call started and which joined them. Adds thread needs to `sync`.
void match_thread_starts(const Trace& trace, SyncPoints& sync);

// One-sided communication: which epochs belong together. The k-th access epoch of an origin that names a
// target belongs to the k-th exposure epoch of the target that names the origin, on one window. Locks of one
// target are ordered by their release. Adds epochs and anomalies to `sync`.
void match_rma(const Trace& trace, SyncPoints& sync);

}  // namespace waitdiag
