#!/bin/bash
# A Slurm job that records a program and leaves the report beside its output: sbatch record.sh
#
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=solver
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=32
#SBATCH --time=00:30:00
#SBATCH --output=solver-%j.out
set -euo pipefail

module load mpich waitprof  # or put waitdiag's bin directory into PATH

# `waitdiag run` passes on the launch line as it is, and ends with the program's own exit status. The report
# is in this job's output, and as a page in the archive.
waitdiag run -o "solver-$SLURM_JOB_ID" --page -- \
  srun --mpi=pmi2 ./solver input.dat
