"""What tests that run programs of several MPIs side by side have to set for each.

SPDX-License-Identifier: BSD-3-Clause
"""
# Open MPI refuses to start anything for root, and more ranks than there are cores. Ranks of spawned jobs reach those of
# others by tcp.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader,tcp"}
# With more ranks than cores a rank that waits has to give way; where each has a core it would only give way to strangers.
CROWDED = {"OMPI_MCA_mpi_yield_when_idle": "1"}
# Remote memory access over shared memory is broken in Debian's MPICH (NWChem's SCF diverges).
SETTINGS = {"mpich": {"MPIR_CVAR_NOLOCAL": "1"}, "openmpi": OPEN_MPI}
