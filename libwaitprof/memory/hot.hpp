// Places the functions that every recorded call runs through side by side. Between two calls the MPI library
// may run through a lot of its own code and displace ours from the cache; scattered functions would be
// fetched again one by one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define WAITPROF_HOT __attribute__((hot))
