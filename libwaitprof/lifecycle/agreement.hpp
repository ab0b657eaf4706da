// What the ranks of a job settle among themselves when a recording starts and ends.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {

// All ranks record or none does, even if their environments differ; then rank 0 prints a message. If sessions
// of some ranks are being recorded already, every rank records alone.
enum class Agreement { Together, Alone, None };

// Called before MPI_Init: this rank will take part in the agreement.
void announce() noexcept;

// Collective over MPI_COMM_WORLD: decides what all ranks do, and gives them one clock. `before` is a clock
// reading from before MPI_Init.
Agreement agree(bool ready, const ClockReading& before) noexcept;

// From a successful start to the end: every rank has to take part in ending the recording.
bool agreed() noexcept;
void wait_for_all_ranks() noexcept;
void leave_together() noexcept;  // the last thing before MPI_Finalize
void end_agreement() noexcept;

// This process need not take part in the end any more: it is a forked child, or ends abnormally.
void forget_agreement() noexcept;

// Sets where this process is: world.host, world.process.
void learn_place() noexcept;

}  // namespace waitprof
