// The waits of a run, by the way of waiting; detect.cpp combines them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "analyzer/diagnosis/detection/listed_times.hpp"
#include "analyzer/diagnosis/detection/wait_states.hpp"

namespace waitdiag {

// Waits of point-to-point messages.
// By location of the waiting call, in calling order for each side of the messages. Also stores in `result`
// which sends needed their receivers, and the eager limit used for that.
std::vector<DetectedWaits> detect_messages(const Trace& trace, const SyncPoints& sync,
                                           const DetectOptions& options, WaitStates& result);

// Waits of processes that ask for a message: in probes, and in rows of tests. Does any call of the trace poll
// for messages?
bool looks_for_messages(const Trace& trace);

// Adds the waits of one location.
void detect_polling(const Trace& trace, const SyncPoints& sync, Location location, DetectedWaits& found);

// Waits of processes that test for the end of a send (MPI_Issend, MPI_Isend of a large message).
// Adds the waits of one location in tests that do not wait for a late sender. `needs_receiver`: by message.
void detect_polled_sends(const Trace& trace, const SyncPoints& sync, Location location,
                         std::span<const std::uint8_t> needs_receiver, DetectedWaits& found);

// Waits of collective operations.
// By block of instances, in their order; what is odd goes to `anomalies`.
std::vector<DetectedWaits> detect_collectives(const Trace& trace, const SyncPoints& sync,
                                              const DetectOptions& options, Anomalies& anomalies);

// Waits of one-sided communication other than fences.
DetectedWaits detect_one_sided(const Trace& trace, const SyncPoints& sync, const DetectOptions& options);

// Waits of processes that look into a window again and again. No record tells who wrote there: it is who alone called
// MPI for that, or came back into MPI, when they saw it.
std::vector<WaitState> detect_signals(const Trace& trace);

}  // namespace waitdiag
