// Functions on the way of every recorded call lie side by side. Between two calls the MPI library may spin
// through a lot of its own code; what lies apart then has to be fetched piece by piece.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define WAITPROF_HOT __attribute__((hot))
