/* Time steps of models as their codes spread them over ranks, in small; one is run:
 *
 *     models NAME N STEPS
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "posted.h"

enum { MOST_RANKS = 1024 };

/* ---- transport: sweeps from the four corners of a plane of ranks, in blocks of planes and angles */

static int plane[2], my_place[2];

static void make_plane(void) {
  plane[0] = plane[1] = 0;
  MPI_Dims_create(size, 2, plane);
  my_place[0] = rank / plane[1];
  my_place[1] = rank % plane[1];
}

static int along(int d, int by) {
  const int there = my_place[d] + by;
  return there < 0 || there >= plane[d] ? MPI_PROC_NULL : rank + by * (d == 0 ? plane[1] : 1);
}

static void transport(int step) {
  const int x = n / plane[0], y = n / plane[1];
  for (int corner = 0; corner < 4; ++corner) {
    const int down = corner & 1 ? -1 : 1, right = corner & 2 ? -1 : 1;
    for (int block = 0; block < 8; ++block) {
      MPI_Recv(in, 6 * 4 * y, MPI_DOUBLE, along(0, -down), corner, world, MPI_STATUS_IGNORE);
      MPI_Recv(in, 6 * 4 * x, MPI_DOUBLE, along(1, -right), corner, world, MPI_STATUS_IGNORE);
      compute(6 * 4 * 30.0 * x * y);
      MPI_Send(out, 6 * 4 * y, MPI_DOUBLE, along(0, down), corner, world);
      MPI_Send(out, 6 * 4 * x, MPI_DOUBLE, along(1, right), corner, world);
    }
  }
  compute(50.0 * 8 * 4 * x * y);
  if (step % 2 == 0) agree();
}

/* ---- a lattice in four dimensions: eight neighbours, two sums in each iteration */

static MPI_Comm lattice;
static int sides[4];

static void make_lattice(void) {
  const int around[4] = {1, 1, 1, 1};
  MPI_Dims_create(size, 4, sides);
  MPI_Cart_create(world, 4, sides, around, 0, &lattice);
}

static void quarks(int step) {
  double sums[2] = {step, 1}, all[2];
  const int sites = n * n * n * n / size;
  for (int d = 0; d < 4; ++d) {
    int less, more;
    MPI_Cart_shift(lattice, d, 1, &less, &more);
    MPI_Irecv(in, 12 * sites / (n / sides[d]), MPI_DOUBLE, less, d, lattice, &requests[open++]);
    MPI_Irecv(in, 12 * sites / (n / sides[d]), MPI_DOUBLE, more, d + 4, lattice, &requests[open++]);
    MPI_Isend(out, 12 * sites / (n / sides[d]), MPI_DOUBLE, more, d, lattice, &requests[open++]);
    MPI_Isend(out, 12 * sites / (n / sides[d]), MPI_DOUBLE, less, d + 4, lattice, &requests[open++]);
  }
  compute(600.0 * sites);
  finish();
  compute(700.0 * sites);
  MPI_Allreduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, lattice);
  compute(100.0 * sites);
  MPI_Allreduce(sums, all, 1, MPI_DOUBLE, MPI_SUM, lattice);
}

/* ---- molecules: forces with those beside, lists of neighbours that are made anew from time to time */

static MPI_Comm box;
static int widths[3];

static void make_molecules(void) {
  const int around[3] = {1, 1, 1};
  MPI_Dims_create(size, 3, widths);
  MPI_Cart_create(world, 3, widths, around, 1, &box);
  MPI_Comm_rank(box, &rank);
}

static int face(int d) {
  return 3 * n / size / 16 / (d + 1);
}

static void molecules(int step) {
  if (step % 5 == 0) {
    for (int d = 0; d < 3; ++d) {
      int less, more, mine = (int)(face(d) / 8 * (0.8 + 0.4 * chance(rank, step + d))), theirs;
      MPI_Cart_shift(box, d, 1, &less, &more);
      MPI_Sendrecv(&mine, 1, MPI_INT, less, 1, &theirs, 1, MPI_INT, more, 1, box, MPI_STATUS_IGNORE);
      MPI_Sendrecv(out, mine, MPI_DOUBLE, less, 2, in, theirs, MPI_DOUBLE, more, 2, box, MPI_STATUS_IGNORE);
    }
    compute(1000.0 * n / size);
  }
  for (int way = 0; way < 2; ++way) { /* positions there, forces back */
    for (int d = 0; d < 3; ++d) {
      int less, more;
      MPI_Cart_shift(box, d, 1, &less, &more);
      MPI_Sendrecv(out, face(d), MPI_DOUBLE, less, 3, in, face(d), MPI_DOUBLE, more, 3, box,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(out, face(d), MPI_DOUBLE, more, 4, in, face(d), MPI_DOUBLE, less, 4, box,
                   MPI_STATUS_IGNORE);
    }
    if (way == 0) compute(3000.0 * n / size * (0.95 + 0.1 * chance(rank, 1)));
  }
  compute(100.0 * n / size);
  if (step % 10 == 9) MPI_Allreduce(out, in, 6, MPI_DOUBLE, MPI_SUM, box);
}

/* ---- a sum that goes on while a matrix is applied */

static void pipelined_gradient(int step) {
  (void)step;
  MPI_Request sum;
  const int mine = n / size;
  MPI_Iallreduce(out, in, 3, MPI_DOUBLE, MPI_SUM, world, &sum);
  post(1000, before(), before(), 1);
  post(1000, behind(), behind(), 1);
  compute(20.0 * mine);
  finish();
  compute(2.0 * 1000);
  MPI_Wait(&sum, MPI_STATUS_IGNORE);
  compute(12.0 * mine);
}

/* ---- an explicit scheme: rank 0 says how long the step is, and collects what is written, rank by rank */

static void explicit_scheme(int step) {
  const int mine = n / size;
  post(mine / 64, before(), before(), 1);
  post(mine / 64, behind(), behind(), 1);
  compute(100.0 * (mine - mine / 32));
  finish();
  compute(100.0 * (mine / 32));
  MPI_Reduce(out, in, 1, MPI_DOUBLE, MPI_MIN, 0, world);
  if (rank == 0) compute(2000);
  MPI_Bcast(in, 1, MPI_DOUBLE, 0, world);
  if (step % 5 != 4) return;
  if (rank == 0)
    for (int other = 1; other < size; ++other) {
      MPI_Recv(in, mine, MPI_DOUBLE, other, 9, world, MPI_STATUS_IGNORE);
      compute(3.0 * mine);
    }
  else
    MPI_Send(out, mine, MPI_DOUBLE, 0, 9, world);
}

/* ---- refined meshes: blocks per rank change, and are moved along a curve until ranks have as many */

static void refined_mesh(int step) {
  const double wanted = n / (double)size;
  const double blocks = wanted * (step % 4 == 0 ? 1 + 0.5 * chance(rank, step / 4) : 1);
  for (int far = 1; far <= 2; ++far) {
    const int less = rank - far >= 0 ? rank - far : MPI_PROC_NULL;
    const int more = rank + far < size ? rank + far : MPI_PROC_NULL;
    post(2000 / far, less, less, far);
    post(2000 / far, more, more, far);
  }
  finish();
  compute(5e4 * blocks);
  if (step % 4 == 0) {
    static double loads[MOST_RANKS];
    double own = blocks, sum;
    MPI_Exscan(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, world);
    MPI_Allgather(&own, 1, MPI_DOUBLE, loads, 1, MPI_DOUBLE, world);
    compute(100.0 * size);
    exchange(500 * (int)wanted, behind(), before());
  }
  agree();
}

/* ---- spectral elements: what elements share is summed by halving the ranks again and again */

static void crystal_router(int step) {
  const int mine = n / size;
  compute(500.0 * mine);
  for (int half = size / 2; half > 0; half /= 2) {
    MPI_Request request;
    const int other = rank ^ half;
    int count = mine / 8, theirs;
    MPI_Irecv(&theirs, 1, MPI_INT, other, 5, world, &request);
    MPI_Send(&count, 1, MPI_INT, other, 5, world);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(in, theirs, MPI_DOUBLE, other, 6, world, &request);
    MPI_Send(out, count, MPI_DOUBLE, other, 6, world);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    compute(4.0 * count);
  }
  compute(100.0 * mine);
  if (step % 2 == 0) agree();
}

/* ---- halos in windows: neighbours alone are waited for */

static MPI_Win window;
static MPI_Group beside;

static void make_window(void) {
  MPI_Group all;
  int ranks[4], count = 0;
  make_plane();
  for (int d = 0; d < 2; ++d)
    for (int by = -1; by <= 1; by += 2)
      if (along(d, by) >= 0) ranks[count++] = along(d, by);
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, count, ranks, &beside);
  MPI_Win_create(in, BYTES, 1, MPI_INFO_NULL, world, &window);
}

static void one_sided_plane(int step) {
  MPI_Win_post(beside, 0, window);
  MPI_Win_start(beside, 0, window);
  for (int d = 0; d < 2; ++d)
    for (int by = -1; by <= 1; by += 2)
      if (along(d, by) >= 0)
        MPI_Put(out, n / plane[1 - d], MPI_DOUBLE, along(d, by), 0, n / plane[1 - d], MPI_DOUBLE, window);
  compute(20.0 * n / plane[0] * n / plane[1]);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  compute(5.0 * n / plane[0] * n / plane[1]);
  if (step == steps - 1) MPI_Win_free(&window);
}

/* ---- tasks of very different lengths: results are large, and those who are done are told */

static void farm(int step) {
  enum { WORK = 1, STOP = 2 };
  MPI_Status status;
  (void)step;
  MPI_Bcast(in, 1000, MPI_DOUBLE, 0, world);
  if (rank == 0) {
    int given = 0, back = 0;
    for (int worker = 1; worker < size && given < n; ++worker)
      MPI_Send(&given, 1, MPI_INT, worker, WORK, world), ++given;
    while (back < n) {
      MPI_Recv(in, 500, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
      ++back;
      compute(3000);
      if (given < n) {
        MPI_Send(&given, 1, MPI_INT, status.MPI_SOURCE, WORK, world);
        ++given;
      } else {
        MPI_Send(&given, 0, MPI_INT, status.MPI_SOURCE, STOP, world);
      }
    }
  } else {
    for (;;) {
      int task = 0;
      MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, world, &status);
      if (status.MPI_TAG == STOP) break;
      compute(2e5 + 1e6 * chance(task, 7) * chance(task, 7));
      MPI_Send(out, 500, MPI_DOUBLE, 0, 3, world);
    }
  }
  MPI_Reduce(out, in, 10, MPI_DOUBLE, MPI_SUM, 0, world);
}

int main(int argc, char** argv) {
  const struct Program programs[] = {{"transport", make_plane, transport},
                                     {"quarks", make_lattice, quarks},
                                     {"molecules", make_molecules, molecules},
                                     {"pipelined_gradient", NULL, pipelined_gradient},
                                     {"explicit_scheme", NULL, explicit_scheme},
                                     {"refined_mesh", NULL, refined_mesh},
                                     {"crystal_router", NULL, crystal_router},
                                     {"one_sided_plane", make_window, one_sided_plane},
                                     {"farm", NULL, farm}};
  return run_program(programs, sizeof programs / sizeof programs[0], argc, argv);
}
