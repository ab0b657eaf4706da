// What the ranks of a job settle among themselves when a recording starts and ends.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {

// All ranks record or none, also when their environments differ; rank 0 says so then. If sessions of some
// ranks are being recorded already, every rank records alone.
enum class Agreement { Together, Alone, None };

// Before MPI_Init: this rank will agree with the others.
void announce() noexcept;

// Collective over MPI_COMM_WORLD: what all do, and on one clock. `before` is a reading from before MPI_Init.
Agreement agree(bool ready, const ClockReading& before) noexcept;

// From a successful start to the end: every rank has to take part in ending the recording.
bool agreed() noexcept;
void wait_for_all_ranks() noexcept;
void end_agreement() noexcept;

// Nothing is owed any more: this process is a child, or ends abnormally.
void forget_agreement() noexcept;

// Where this process is: world.host, world.process.
void learn_place() noexcept;

}  // namespace waitprof
