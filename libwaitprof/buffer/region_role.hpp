// What kind of work an MPI region is: the classes of OTF2_RegionRole that MPI functions fall into.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

enum class RegionRole : std::uint8_t {
  Barrier,
  OneToAll,
  AllToOne,
  AllToAll,
  OtherCollective,
  PointToPoint,
  Function,  // completions, environment, communicator management: no role of its own in OTF2
  Rma,
  Atomic,
  FileIo,
  FileIoMetadata,
  Allocate,
};

}  // namespace waitprof
