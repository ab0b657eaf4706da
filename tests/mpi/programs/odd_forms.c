/* Rarely used forms of calls, on 4 ranks, with numbers of bytes that can be added up in the head: functions
 * with large counts (_c), collectives over an inter-communicator of ranks 0-1 and 2-3, MPI_IN_PLACE where
 * blocks differ, files written and read in two halves. Prints MPI's status of the read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>

enum { kRanks = 4 };

static int rank;

static void large_counts(void) {
  const MPI_Count six = 6;
  int numbers[6] = {0}, sum[6];
  MPI_Request request;
  if (rank == 0) MPI_Send_c(numbers, six, MPI_INT, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Irecv_c(numbers, six, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Allreduce_c(numbers, sum, six, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void between_groups(void) {
  MPI_Comm half, other;
  int value = rank, sum = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 7, &other);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, other);
  MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : (rank == 1 ? MPI_PROC_NULL : 0), other);
  if (sum != (rank < 2 ? 5 : 1) || (rank >= 2 && value != 0)) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Barrier(other);
  MPI_Comm_free(&other);
  MPI_Comm_free(&half);
}

/* Rank i contributes i + 1 of the ten numbers that all ranks get. */
static void in_place(void) {
  const int counts[kRanks] = {1, 2, 3, 4}, places[kRanks] = {0, 1, 3, 6};
  const int ones[kRanks] = {1, 1, 1, 1}, one_each[kRanks] = {0, 1, 2, 3};
  int numbers[10] = {0};
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, counts, places, MPI_INT, MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  else
    MPI_Gatherv(numbers, counts[rank], MPI_INT, NULL, NULL, NULL, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, numbers, ones, one_each, MPI_INT,
                MPI_COMM_WORLD);
}

static int read_in_halves(const char* name) {
  char written[100] = {0}, found[1000];
  int count = 0;
  MPI_File file;
  MPI_Status status;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_write_at_all_begin(file, 100L * rank, written, 100, MPI_BYTE);
  MPI_File_write_at_all_end(file, written, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at_all_begin(file, 0, found, 1000, MPI_BYTE);
  MPI_File_read_at_all_end(file, found, &status);
  MPI_Get_count(&status, MPI_BYTE, &count);
  MPI_File_close(&file);
  return count;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  large_counts();
  between_groups();
  in_place();
  const int count = read_in_halves("odd_forms.data");
  if (rank == 0) printf("odd_forms: %d bytes\n", count);
  MPI_Finalize();
  return 0;
}
