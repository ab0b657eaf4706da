// What we know about the handles and statuses of the MPI library this backend is built for. Each of the files
// defines the same names.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>

#ifdef WAITPROF_FOR_SMPI
#include "libwaitprof/mpi/smpi_abi.hpp"  // IWYU pragma: export
#elif defined(OPEN_MPI)
#include "libwaitprof/mpi/open_mpi_abi.hpp"  // IWYU pragma: export
#else
#include "libwaitprof/mpi/mpich_abi.hpp"  // IWYU pragma: export
#endif

namespace waitprof {

// A handle, number or pointer, as the key of a table.
template <class Handle>
std::uint64_t key_of(Handle handle) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uint32_t>(handle);
  }
}

// Bytes of that many elements. Where MPI does not look at the type it may be MPI_DATATYPE_NULL, about which
// MPI must not be asked.
inline std::uint64_t bytes_of(MPI_Count count, MPI_Datatype type) noexcept {
  return count > 0 && type != MPI_DATATYPE_NULL ? static_cast<std::uint64_t>(count) * size_of_type(type) : 0;
}

}  // namespace waitprof
