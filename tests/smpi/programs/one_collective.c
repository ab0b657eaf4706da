/* One collective operation, again and again, with uneven computation in between: name, doubles (of the
 * buffer, or of a block), how often. Roots take turns. Prints for each rank when it ended.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, count, *counts, *flows, *places;
static double *in, *out;

static void make_and_free(const char* name) {
  MPI_Comm made;
  if (!strcmp(name, "comm_dup"))
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
  else
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made);
  MPI_Comm_free(&made);
}

static void call(const char* name, int root) {
  const MPI_Comm world = MPI_COMM_WORLD;
  if (!strcmp(name, "barrier")) {
    MPI_Barrier(world);
  } else if (!strcmp(name, "bcast")) {
    MPI_Bcast(in, count, MPI_DOUBLE, root, world);
  } else if (!strcmp(name, "reduce")) {
    MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, root, world);
  } else if (!strcmp(name, "allreduce")) {
    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, world);
  } else if (!strcmp(name, "gather")) {
    MPI_Gather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root, world);
  } else if (!strcmp(name, "gatherv")) {
    MPI_Gatherv(in, counts[rank], MPI_DOUBLE, out, counts, places, MPI_DOUBLE, root, world);
  } else if (!strcmp(name, "scatter")) {
    MPI_Scatter(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root, world);
  } else if (!strcmp(name, "scatterv")) {
    MPI_Scatterv(in, counts, places, MPI_DOUBLE, out, counts[rank], MPI_DOUBLE, root, world);
  } else if (!strcmp(name, "allgather")) {
    MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, world);
  } else if (!strcmp(name, "allgatherv")) {
    MPI_Allgatherv(in, counts[rank], MPI_DOUBLE, out, counts, places, MPI_DOUBLE, world);
  } else if (!strcmp(name, "alltoall")) {
    MPI_Alltoall(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, world);
  } else if (!strcmp(name, "alltoallv")) {
    MPI_Alltoallv(in, flows, places, MPI_DOUBLE, out, flows, places, MPI_DOUBLE, world);
  } else if (!strcmp(name, "reduce_scatter")) {
    MPI_Reduce_scatter_block(in, out, count, MPI_DOUBLE, MPI_SUM, world);
  } else if (!strcmp(name, "scan")) {
    MPI_Scan(in, out, count, MPI_DOUBLE, MPI_SUM, world);
  } else if (!strncmp(name, "comm_", 5)) {
    make_and_free(name);
  } else {
    fprintf(stderr, "no operation is called %s\n", name);
    MPI_Abort(world, 1);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  count = atoi(argv[2]);
  counts = calloc((size_t)size, sizeof *counts);
  flows = calloc((size_t)size, sizeof *flows);
  places = calloc((size_t)size, sizeof *places);
  for (int i = 0; i < size; ++i) {
    counts[i] = count / 2 + count / 2 * i / size;
    flows[i] = count / 2 + count / 8 * ((rank + i) % 4);
    places[i] = i * count;
  }
  in = calloc((size_t)count * (size_t)size, sizeof *in);
  out = calloc((size_t)count * (size_t)size, sizeof *out);
  for (int i = 0; i < atoi(argv[3]); ++i) {
    smpi_execute_flops(1e5 * (1 + (rank * 7 + i) % 5));
    call(argv[1], i % size);
  }
  printf("%d %.12f\n", rank, MPI_Wtime());
  free(out);
  free(in);
  free(places);
  free(flows);
  free(counts);
  MPI_Finalize();
  return 0;
}
