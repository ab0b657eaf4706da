/* MPI that comes by dlopen(RTLD_LOCAL), as in Python's mpi4py: local_mpi PLUGIN calls plugin_main() of a
 * shared object that is linked to MPI; without an argument it looks MPI up by hand. A recorder sees nothing
 * or all, but never crashes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <stdio.h>

static int call(const char* library, const char* function) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  int (*entry)(int*, char***) = NULL;
  if (handle == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  *(void**)&entry = dlsym(handle, function);
  return entry(NULL, NULL);
}

int main(int argc, char** argv) {
  int status;
  if (argc > 1) {
    status = call(argv[1], "plugin_main");
  } else {
    status = call("libmpich.so.12", "MPI_Init");
    void* mpi = dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL);
    int (*finalize)(void) = NULL;
    *(void**)&finalize = dlsym(mpi, "MPI_Finalize");
    status += finalize();
  }
  printf("local_mpi: %d\n", status);
  return status;
}
