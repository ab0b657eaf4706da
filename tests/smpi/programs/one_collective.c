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

/* Along the first dimension of a grid of two columns. */
static MPI_Comm made_of_grid(void) {
  static MPI_Comm grid = MPI_COMM_NULL;
  const int sides[2] = {size / 2, 2}, around[2] = {0, 0}, keep[2] = {1, 0};
  MPI_Comm made;
  if (grid == MPI_COMM_NULL) MPI_Cart_create(MPI_COMM_WORLD, 2, sides, around, 0, &grid);
  MPI_Cart_sub(grid, keep, &made);
  return made;
}

/* Of the first half of the ranks. */
static MPI_Comm made_of_half(void) {
  const int half[1][3] = {{0, size / 2 - 1, 1}};
  MPI_Group all, some;
  MPI_Comm made;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 1, (int(*)[3])half, &some);
  MPI_Comm_create(MPI_COMM_WORLD, some, &made);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  return made;
}

static void make_and_free(const char* name) {
  MPI_Comm made;
  if (!strcmp(name, "comm_dup"))
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
  else if (!strcmp(name, "cart_sub"))
    made = made_of_grid();
  else if (!strcmp(name, "comm_create"))
    made = made_of_half();
  else
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made);
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
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
  } else if (!strncmp(name, "comm_", 5) || !strcmp(name, "cart_sub")) {
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
