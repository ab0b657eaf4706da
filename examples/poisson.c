/* Poisson's equation on the unit square by Jacobi's method, with the rows spread over the ranks: the program
 * with which TH-PP's prediction for larger problems was tried (share/doc/predicting.md). Unlike the other
 * examples it really computes, and has no planned waits.
 *
 *   poisson [N] [SWEEPS]      N x N inner points, 256 if not given; 100 sweeps
 *
 *   one sweep               rank r has the rows first[r] ... first[r + 1] - 1
 *   exchange_edges          its first row to r - 1, its last to r + 1: N doubles each
 *   relax                   every point becomes the mean of its neighbours and h^2 f / 4
 *   largest_change          MPI_Allreduce of one double
 *
 * -(u_xx + u_yy) = f with f = 2 pi^2 sin(pi x) sin(pi y), u = 0 on the edge. Started with 0, the lowest mode
 * is the only one, and each sweep removes the same share of its error: after K sweeps u = U (1 - cos(pi
 * h)^K), where U is the solution of the difference equations, s sin(pi x) sin(pi y) with s = (pi h)^2 / (2 -
 * 2 cos(pi h)), h = 1 / (N + 1). Rank 0 prints the largest difference from that, over all ranks: rounding
 * only, the same for any number of ranks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

struct block {
  int rank, size;
  int n;            /* inner points along an edge */
  int first, rows;  /* of this rank, counted from 1 */
  size_t width;     /* n and both edges */
  double *u, *next; /* rows + 2 rows */
  double* source;   /* h^2 f / 4 */
  double* sine;     /* of pi h i */
};

/* The lowest mode, sin(pi x) sin(pi y). */
static double mode(const struct block* block, int row, int column) {
  return block->sine[block->first + row - 1] * block->sine[column];
}

NOINLINE static void allocate(struct block* block) {
  const size_t points = ((size_t)block->rows + 2) * block->width;
  const double h = 1.0 / (block->n + 1);
  block->u = calloc(points, sizeof *block->u);
  block->next = calloc(points, sizeof *block->next);
  block->source = calloc(points, sizeof *block->source);
  block->sine = calloc(block->width, sizeof *block->sine);
  if (block->u == NULL || block->next == NULL || block->source == NULL || block->sine == NULL) {
    fprintf(stderr, "poisson: no memory for %d x %d points\n", block->n, block->n);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (size_t i = 0; i < block->width; ++i) block->sine[i] = sin(M_PI * h * (double)i);
  for (int row = 1; row <= block->rows; ++row)
    for (int column = 1; column <= block->n; ++column)
      block->source[(size_t)row * block->width + column] =
          0.5 * M_PI * M_PI * h * h * mode(block, row, column);
}

NOINLINE static void exchange_edges(struct block* block) {
  const int below = block->rank > 0 ? block->rank - 1 : MPI_PROC_NULL;
  const int above = block->rank < block->size - 1 ? block->rank + 1 : MPI_PROC_NULL;
  double* row_1 = block->u + block->width;
  double* last_row = block->u + (size_t)block->rows * block->width;
  MPI_Sendrecv(row_1 + 1, block->n, MPI_DOUBLE, below, 1, last_row + block->width + 1, block->n, MPI_DOUBLE,
               above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(last_row + 1, block->n, MPI_DOUBLE, above, 2, block->u + 1, block->n, MPI_DOUBLE, below, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* One sweep over the rank's own rows; returns the largest change of a point. */
NOINLINE static double relax(struct block* block) {
  const size_t width = block->width;
  double largest = 0.0;
  for (int row = 1; row <= block->rows; ++row) {
    const double* u = block->u + (size_t)row * width;
    const double* source = block->source + (size_t)row * width;
    double* next = block->next + (size_t)row * width;
    for (int column = 1; column <= block->n; ++column) {
      next[column] =
          0.25 * (u[column - 1] + u[column + 1] + u[column - width] + u[column + width]) + source[column];
      const double change = fabs(next[column] - u[column]);
      largest = change > largest ? change : largest;
    }
  }
  double* swapped = block->u;
  block->u = block->next;
  block->next = swapped;
  return largest;
}

NOINLINE static double largest_of_all(double mine) {
  double all = 0.0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

NOINLINE static double error_after(const struct block* block, int sweeps) {
  const double angle = M_PI / (block->n + 1);
  const double height = angle * angle / (2.0 - 2.0 * cos(angle)) * (1.0 - pow(cos(angle), sweeps));
  double largest = 0.0;
  for (int row = 1; row <= block->rows; ++row)
    for (int column = 1; column <= block->n; ++column) {
      const double known = height * mode(block, row, column);
      largest = fmax(largest, fabs(block->u[(size_t)row * block->width + column] - known));
    }
  return largest;
}

int main(int argc, char** argv) {
  struct block block = {.n = argc > 1 ? atoi(argv[1]) : 256};
  const int sweeps = argc > 2 ? atoi(argv[2]) : 100;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &block.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &block.size);
  if (block.n < block.size || sweeps < 1) {
    if (block.rank == 0)
      fprintf(stderr, "usage: poisson [N] [SWEEPS], with at least one row for every rank\n");
    MPI_Finalize();
    return 2;
  }
  block.first = 1 + (int)((long)block.n * block.rank / block.size);
  block.rows = 1 + (int)((long)block.n * (block.rank + 1) / block.size) - block.first;
  block.width = (size_t)block.n + 2;
  allocate(&block);

  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  double change = 0.0;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    exchange_edges(&block);
    change = largest_of_all(relax(&block));
  }
  const double taken = MPI_Wtime() - begin;

  const double error = largest_of_all(error_after(&block, sweeps));
  if (block.rank == 0)
    printf("poisson: %d^2 points, %d ranks, %d sweeps in %.6f s, last change %.3e, error %.1e\n", block.n,
           block.size, sweeps, taken, change, error);
  free(block.u);
  free(block.next);
  free(block.source);
  free(block.sine);
  MPI_Finalize();
  return 0;
}
