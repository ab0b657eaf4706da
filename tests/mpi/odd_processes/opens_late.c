/* opens_late NAME...: opens libraries by those names after MPI_Init, and says which are found. What a name means
 * depends on where this program looks for libraries, which is in late/ beside it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 1; i < argc; ++i) {
    void* const library = dlopen(argv[i], RTLD_NOW);
    printf("%s: %s\n", argv[i], library != NULL ? "found" : dlerror());
  }
  MPI_Finalize();
  return 0;
}
