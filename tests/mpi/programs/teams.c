/* teams: two ranks whose OpenMP threads are uneven. In ten steps four threads sleep for computing: in flux() 10 ms, on
 * rank 0 thread 2 does so for 40 ms, and after a barrier all for 5 ms; in loop() eight iterations of 2 ms, dealt out
 * one by one; in deal() one thread makes eight tasks of 4 ms; in group() it waits for one of 12 ms. Then the thread that called flux() sleeps for 20 ms alone.
 * All times are multiplied by the argument. `teams SCALE turns`: on rank 0, thread 0 waits in each step until the other
 * three have had their turns of 10 ms. So in a critical section; `turns lock`: with a lock; `turns ordered`: in a loop with
 * an ordered section; `turns doacross`, `turns deep`: in one, or in a nest of eight, whose iterations wait for certain
 * others; `turns skipped`: where some iterations have no ordered section. `teams SCALE alternate`: on rank 0, thread 0 is 25 ms late for a barrier and thread 1
 * for the end of the team. Each rank says at the end, for each function: "function, rank, seconds that a thread
 * slept on average, that the slowest of each step did", in alternate also that it took, or "turns, rank, seconds that thread 0 slept, that it waited, that
 * all threads waited for their turns, that the slowest of each step slept, that one slept or waited".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 10, THREADS = 4, ITERATIONS = 8, LATE_THREAD = 2 };

static long scale = 1;

static double slept[THREADS]; /* in this step */

/* On a busy machine it takes longer than planned. */
static void compute(long milliseconds) {
  const struct timespec time = {0, 1000000 * scale * milliseconds};
  const double begin = omp_get_wtime();
  nanosleep(&time, NULL);
  slept[omp_get_thread_num()] += omp_get_wtime() - begin;
}

struct Slept {
  double mean, slowest;
};

static void add_times(struct Slept* sum, double times[THREADS]) {
  double slowest = 0;
  for (int i = 0; i < THREADS; ++i) {
    sum->mean += times[i] / THREADS;
    if (times[i] > slowest) slowest = times[i];
    times[i] = 0;
  }
  sum->slowest += slowest;
}

static void add_step(struct Slept* sum) {
  add_times(sum, slept);
}

__attribute__((noinline)) static void flux(int rank) {
#pragma omp parallel num_threads(THREADS)
  {
    compute(rank == 0 && omp_get_thread_num() == LATE_THREAD ? 40 : 10);
#pragma omp barrier
    compute(5);
  }
}

__attribute__((noinline)) static void loop(void) {
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 1)
  for (int i = 0; i < ITERATIONS; ++i) compute(2);
}

static volatile int
    dealt;  // something to do after the team: no tail call, so that deal() is on the stack meanwhile

__attribute__((noinline)) static void deal(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  for (int i = 0; i < ITERATIONS; ++i) {
#pragma omp task
    compute(4);
  }
  ++dealt;
}

__attribute__((noinline)) static void group(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 2; ++i) {
#pragma omp task firstprivate(i)
      compute(i == 0 ? 12 : 2);
    }
    compute(1);
  }
  ++dealt;
}

static double waited[THREADS]; /* in this step, for its turn */

/* It has come. */
static void take_turn(int rank, double since) {
  waited[omp_get_thread_num()] += omp_get_wtime() - since;
  if (rank == 0 && omp_get_thread_num() != 0) compute(10);
}

/* Thread 0 comes last. */
__attribute__((noinline)) static void turns(int rank) {
#pragma omp parallel num_threads(THREADS)
  {
    if (omp_get_thread_num() == 0) compute(5);
    const double begin = omp_get_wtime();
#pragma omp critical
    take_turn(rank, begin);
  }
  ++dealt;
}

static omp_lock_t turn;

__attribute__((noinline)) static void turns_by_lock(int rank) {
#pragma omp parallel num_threads(THREADS)
  {
    if (omp_get_thread_num() == 0) compute(5);
    const double begin = omp_get_wtime();
    omp_set_lock(&turn);
    take_turn(rank, begin);
    omp_unset_lock(&turn);
  }
  ++dealt;
}

/* Iteration i is thread i's: here thread 0 comes first, and later ones wait. */
__attribute__((noinline)) static void turns_in_order(int rank) {
#pragma omp parallel num_threads(THREADS)
#pragma omp for ordered schedule(static, 1)
  for (int i = 0; i < THREADS; ++i) {
    if (i == 0) compute(5);
    const double begin = omp_get_wtime();
#pragma omp ordered
    take_turn(rank, begin);
  }
  ++dealt;
}

/* Iteration i waits for what i - 1 does before it says that it is done. */
__attribute__((noinline)) static void turns_across(int rank) {
#pragma omp parallel num_threads(THREADS)
#pragma omp for ordered(1) schedule(static, 1)
  for (int i = 0; i < THREADS; ++i) {
    if (i == 0) compute(5);
    const double begin = omp_get_wtime();
#pragma omp ordered depend(sink : i - 1)
    take_turn(rank, begin);
#pragma omp ordered depend(source)
  }
  ++dealt;
}

/* The same, told by more numbers than fit into registers. */
__attribute__((noinline)) static void turns_deep(int rank) {
#pragma omp parallel num_threads(THREADS)
#pragma omp for ordered(8) schedule(static, 1)
  for (int i = 0; i < THREADS; ++i)
    for (int b = 0; b < 1; ++b)
      for (int c = 0; c < 1; ++c)
        for (int d = 0; d < 1; ++d)
          for (int e = 0; e < 1; ++e)
            for (int f = 0; f < 1; ++f)
              for (int g = 0; g < 2; ++g)
                for (int h = 0; h < 2; ++h) {
                  if (i == 0 && g == 0 && h == 0) compute(5);
                  const double begin = omp_get_wtime();
#pragma omp ordered depend(sink : i - 1, b, c, d, e, f, g, h)
                  if (g == 0 && h == 0) take_turn(rank, begin);
#pragma omp ordered depend(source)
                }
  ++dealt;
}

/* Only the first iteration has an ordered section: the other threads wait for that before they take their next ones. */
__attribute__((noinline)) static void turns_skipped(int rank) {
  double since[THREADS];
#pragma omp parallel num_threads(THREADS)
#pragma omp for ordered schedule(static, 1)
  for (int i = 0; i < 2 * THREADS; ++i) {
    if (i == 0) {
#pragma omp ordered
      compute(rank == 0 ? 30 : 5);
    } else if (i < THREADS) {
      since[i] = omp_get_wtime();
    } else if (i > THREADS) {
      waited[i - THREADS] += omp_get_wtime() - since[i - THREADS];
      compute(rank == 0 ? 10 : 0);
    }
  }
  ++dealt;
}

static void run_turns(int rank, const char* how) {
  struct Slept sum = {0, 0}, with_turns = {0, 0};
  double of_first = 0, for_first = 0, all = 0, both[THREADS];
  omp_init_lock(&turn);
  for (int i = 0; i < STEPS; ++i) {
    if (strcmp(how, "lock") == 0)
      turns_by_lock(rank);
    else if (strcmp(how, "ordered") == 0)
      turns_in_order(rank);
    else if (strcmp(how, "doacross") == 0)
      turns_across(rank);
    else if (strcmp(how, "deep") == 0)
      turns_deep(rank);
    else if (strcmp(how, "skipped") == 0)
      turns_skipped(rank);
    else
      turns(rank);
    of_first += slept[0];
    for_first += waited[0];
    for (int t = 0; t < THREADS; ++t) {
      all += waited[t];
      both[t] = slept[t] + waited[t];
      waited[t] = 0;
    }
    add_step(&sum);
    add_times(&with_turns, both);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("turns %d %.9f %.9f %.9f %.9f %.9f\n", rank, of_first, for_first, all, sum.slowest,
         with_turns.slowest);
}

static double before_barrier[THREADS];

__attribute__((noinline)) static void alternate(int rank) {
#pragma omp parallel num_threads(THREADS)
  {
    const int number = omp_get_thread_num();
    compute(rank == 0 && number == 0 ? 30 : 5);
    before_barrier[number] = slept[number];
    slept[number] = 0;
#pragma omp barrier
    compute(rank == 0 && number == 1 ? 30 : 5);
  }
  ++dealt;
}

static void run_alternate(int rank) {
  struct Slept sum = {0, 0};
  double time = 0;
  for (int i = 0; i < STEPS; ++i) {
    const double begin = omp_get_wtime();
    alternate(rank);
    time += omp_get_wtime() - begin;
    add_times(&sum, before_barrier);
    add_step(&sum);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("alternate %d %.9f %.9f %.9f\n", rank, sum.mean, sum.slowest, time);
}

int main(int argc, char** argv) {
  int rank = 0, provided = 0;
  struct Slept in_flux = {0, 0}, in_loop = {0, 0}, in_deal = {0, 0}, in_group = {0, 0};
  if (argc > 1) scale = strtol(argv[1], NULL, 10);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 2 && strcmp(argv[2], "alternate") == 0) {
    run_alternate(rank);
    MPI_Finalize();
    return 0;
  }
  if (argc > 2) {
    run_turns(rank, argc > 3 ? argv[3] : "critical");
    MPI_Finalize();
    return 0;
  }
  for (int i = 0; i < STEPS; ++i) {
    flux(rank);
    add_step(&in_flux);
    loop();
    add_step(&in_loop);
    deal();
    add_step(&in_deal);
    group();
    add_step(&in_group);
    compute(20);
    slept[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("flux %d %.9f %.9f\nloop %d %.9f %.9f\ndeal %d %.9f %.9f\ngroup %d %.9f %.9f\n", rank, in_flux.mean,
         in_flux.slowest, rank, in_loop.mean, in_loop.slowest, rank, in_deal.mean, in_deal.slowest, rank,
         in_group.mean, in_group.slowest);
  MPI_Finalize();
  return 0;
}
