/* The communication of an integer sort (as NAS IS): histograms are added up, then every rank sends every
 * other rank its keys, in uneven numbers. Prints when each rank ended, in simulated seconds.
 *
 *   integer_sort KEYS STEPS      KEYS of all ranks together
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 1024, SPREAD = 17 };
static const double kFlopsPerKey = 20;

static int* numbers(int count) {
  return calloc((size_t)count, sizeof(int));
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int own = atoi(argv[1]) / size;
  int *histogram = numbers(BUCKETS), *sum = numbers(BUCKETS), *keys = numbers(2 * own),
      *sorted = numbers(2 * own);
  int *sent = numbers(size), *sent_at = numbers(size), *received = numbers(size),
      *received_at = numbers(size);
  for (int step = 0; step < atoi(argv[2]); ++step) {
    smpi_execute_flops(kFlopsPerKey * own);
    MPI_Allreduce(histogram, sum, BUCKETS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0, total = 0; i < size; ++i) {
      sent[i] = own / size * 3 / 4 + (i * 7 + rank * 13 + step) % SPREAD * own / size / 32;
      sent_at[i] = total;
      total += sent[i];
    }
    MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
    int total = 0;
    for (int i = 0; i < size; ++i) {
      received_at[i] = total;
      total += received[i];
    }
    MPI_Alltoallv(keys, sent, sent_at, MPI_INT, sorted, received, received_at, MPI_INT, MPI_COMM_WORLD);
    smpi_execute_flops(kFlopsPerKey / 2 * total);
  }
  printf("%d %.12f\n", rank, MPI_Wtime());
  MPI_Finalize();
  return 0;
}
