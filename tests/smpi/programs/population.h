/* What the programs of the population share: their grid of ranks, their computation, and the main function that runs
 * the one that is named.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef WAITPROF_POPULATION_H
#define WAITPROF_POPULATION_H

#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <waitprof.h>

enum { BYTES = 1 << 25 };
static int rank, size, n, steps;
static char *in, *out;
static MPI_Comm world, row, column; /* of a grid of ranks, rows x columns, numbered row by row */
static int rows, columns, at_row, at_column;

static inline void compute(double flops) {
  waitprof_region_begin("compute");
  smpi_execute_flops(flops);
  waitprof_region_end("compute");
}

static inline void agree(void) {
  double own = 1, sum;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, world);
}

/* In [0, 1), the same in each run. */
static inline double chance(int a, int b) {
  unsigned x = 2654435761u * (unsigned)(a + 1) + 40503u * (unsigned)(b + 1);
  x = (x ^ (x >> 15)) * 2246822519u;
  x = (x ^ (x >> 13)) * 3266489917u;
  return (double)((x ^ (x >> 16)) % 1000003u) / 1000003.0;
}

static inline void exchange(int count, int to, int from) {
  MPI_Sendrecv(out, count, MPI_DOUBLE, to, 0, in, count, MPI_DOUBLE, from, 0, world, MPI_STATUS_IGNORE);
}

/* MPI_PROC_NULL: there is none. */
static inline int behind(void) {
  return rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
}
static inline int before(void) {
  return rank > 0 ? rank - 1 : MPI_PROC_NULL;
}

static inline void give(int count, int to) {
  MPI_Send(out, count, MPI_DOUBLE, to, 3, world);
}
static inline void take(int count, int from) {
  MPI_Recv(in, count, MPI_DOUBLE, from, 3, world, MPI_STATUS_IGNORE);
}

static inline void make_grid(void) {
  for (rows = 1; 4 * rows * rows <= size; rows *= 2) continue;
  if (rows * rows * 2 <= size / 2) rows *= 2;
  columns = size / rows;
  at_row = rank / columns;
  at_column = rank % columns;
}

static inline void split_grid(void) {
  make_grid();
  MPI_Comm_split(world, at_row, at_column, &row);
  MPI_Comm_split(world, at_column, at_row, &column);
}

struct Program {
  const char* name;
  void (*begin)(void);
  void (*step)(int);
};

/* Prints when this rank came to its end. */
static inline int run_program(const struct Program* programs, size_t count, int argc, char** argv) {
  MPI_Init(&argc, &argv);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  n = atoi(argv[2]);
  steps = atoi(argv[3]);
  in = calloc(BYTES, 1);
  out = calloc(BYTES, 1);
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(programs[i].name, argv[1]) != 0) continue;
    if (programs[i].begin != NULL) programs[i].begin();
    for (int step = 0; step < steps; ++step) programs[i].step(step);
  }
  printf("%d %.12f\n", rank, MPI_Wtime());
  MPI_Finalize();
  return 0;
}

#endif
