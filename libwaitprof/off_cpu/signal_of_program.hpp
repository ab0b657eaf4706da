// Waiting for signals of the program's own: ticks of the recorder, which wait as well where the program blocks all signals,
// are no answer to it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <ctime>

namespace waitprof {

using WaitForSignal = int(const sigset_t* set, siginfo_t* what, const timespec* time);

// As sigtimedwait(), and without `time` as sigwaitinfo(). Not noexcept: threads are cancelled in it.
int signal_of_program(WaitForSignal* timedwait, const sigset_t* set, siginfo_t* what, const timespec* time);
// As sigwait().
int signal_of_program(WaitForSignal* timedwait, const sigset_t* set, int* which);

}  // namespace waitprof
