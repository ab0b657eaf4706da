/* One-sided communication of every kind on 4 ranks, 5 steps each; work of 2 units of 10 ms where it says so:
 *
 *   fence           rank 0 works before it            1, 2, 3 wait 2 units a step   (Wait at Fence)
 *   post, start     targets 1, 3 work before the post origins 0, 2 wait 2 units     (Late Post)
 *   complete, wait  origins 0, 2 work before it       targets 1, 3 wait 2 units     (Early Wait)
 *   lock            rank 1 holds rank 0's memory for 2 units, then 2 and 3 get it   (Lock Contention)
 *
 * and once: lock_all, flush, all operations and their request forms. MPI_Barrier ends every step. Prints the
 * sum of what arrived.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>

#include "examples/emulate.h"

enum { kSteps = 5, kCells = 8 };
static int rank, partner, *memory;
static MPI_Win win;

static void fences(void) {
  int value = rank + 1;
  MPI_Win_fence(0, win);
  if (rank == 0) emulate_ms(2.0 * options.unit_ms);
  MPI_Put(&value, 1, MPI_INT, partner, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
}

static void epochs(int late_target) {
  int value = rank + 1;
  const int origin = rank % 2 == 0;
  MPI_Group world, other;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &partner, &other);
  if (origin) {
    MPI_Win_start(other, 0, win);
    MPI_Put(&value, 1, MPI_INT, partner, 1, 1, MPI_INT, win);
    if (!late_target) emulate_ms(2.0 * options.unit_ms);
    MPI_Win_complete(win);
  } else {
    if (late_target) emulate_ms(2.0 * options.unit_ms);
    MPI_Win_post(other, 0, win);
    MPI_Win_wait(win);
  }
  MPI_Group_free(&other);
  MPI_Group_free(&world);
}

static void locks(void) {
  int value = rank;
  if (rank == 0) return;
  if (rank > 1) emulate_ms(0.5 * options.unit_ms);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Put(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, win);
  MPI_Win_flush(0, win);
  if (rank == 1) emulate_ms(2.0 * options.unit_ms);
  MPI_Win_unlock(0, win);
}

static void everything(void) {
  int one = 1, zero = 0, result = 0;
  MPI_Request requests[4];
  MPI_Win_lock_all(0, win);
  MPI_Accumulate(&one, 1, MPI_INT, partner, 3, 1, MPI_INT, MPI_SUM, win);
  MPI_Get_accumulate(&one, 1, MPI_INT, &result, 1, MPI_INT, partner, 3, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_flush_local(partner, win);
  MPI_Get_accumulate(NULL, 7, MPI_DATATYPE_NULL, &result, 1, MPI_INT, partner, 3, 1, MPI_INT, MPI_NO_OP, win);
  MPI_Fetch_and_op(&one, &result, MPI_INT, partner, 3, MPI_SUM, win);
  MPI_Compare_and_swap(&one, &zero, &result, MPI_INT, partner, 4, win);
  MPI_Win_flush_all(win);
  MPI_Rput(&one, 1, MPI_INT, partner, 5, 1, MPI_INT, win, &requests[0]);
  MPI_Rget(&result, 1, MPI_INT, partner, 6, 1, MPI_INT, win, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Raccumulate(&one, 1, MPI_INT, partner, 7, 1, MPI_INT, MPI_SUM, win, &requests[2]);
  MPI_Rget_accumulate(&one, 1, MPI_INT, &result, 1, MPI_INT, partner, 7, 1, MPI_INT, MPI_SUM, win,
                      &requests[3]);
  MPI_Waitall(2, requests + 2, MPI_STATUSES_IGNORE);
  MPI_Win_unlock_all(win);
}

int main(int argc, char** argv) {
  int sum = 0, total = 0;
  MPI_Win other;
  MPI_Init(&argc, &argv);
  read_options(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  partner = rank ^ 1;
  MPI_Win_allocate(kCells * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_set_name(win, "cells");
  for (int i = 0; i < kCells; ++i) memory[i] = 0;
  for (int step = 0; step < kSteps; ++step) fences(), MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < kSteps; ++step) epochs(1), MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < kSteps; ++step) epochs(0), MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < kSteps; ++step) locks(), MPI_Barrier(MPI_COMM_WORLD);
  everything();
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) sum += memory[i];
  MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("one_sided: %d\n", total);
  MPI_Win_create(memory, sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
  MPI_Win_free(&other);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
