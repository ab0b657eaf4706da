/* Preloaded into programs that call BLAS: rank PLANTED_RANK takes PLANTED_MS milliseconds more for every dgemm_().
 * Sleeping stands for computing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__attribute__((noinline)) void planted_work(long milliseconds) {
  struct timespec rest = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  while (nanosleep(&rest, &rest) != 0) continue;
}

static int is_planted_rank(void) {
  const char* planted = getenv("PLANTED_RANK");
  const char* rank = getenv("PMI_RANK");
  if (rank == NULL) rank = getenv("OMPI_COMM_WORLD_RANK");
  return planted != NULL && rank != NULL && strcmp(planted, rank) == 0;
}

/* As Fortran calls it; the lengths of the two strings come last. */
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc, size_t length_a, size_t length_b) {
  static void (*real)(const char*, const char*, const int*, const int*, const int*, const double*,
                      const double*, const int*, const double*, const int*, const double*, double*,
                      const int*, size_t, size_t) = NULL;
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "dgemm_");
  real(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, length_a, length_b);
  const char* milliseconds = getenv("PLANTED_MS");
  if (milliseconds != NULL && is_planted_rank()) planted_work(atol(milliseconds));
}
