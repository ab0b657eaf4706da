/* MPI that comes by dlopen(RTLD_LOCAL), as in Python's mpi4py: local_mpi PLUGIN calls plugin_main() of a
 * shared object that is linked to MPI; without an argument it looks MPI up by hand. A recorder sees none of
 * its calls or all, but never crashes. A second argument (deepbind, namespace) loads it so that its calls go
 * to its own MPI, whatever is preloaded.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void* load(const char* library, const char* how) {
  if (strcmp(how, "namespace") == 0) return dlmopen(LM_ID_NEWLM, library, RTLD_NOW | RTLD_LOCAL);
  return dlopen(library, RTLD_NOW | RTLD_LOCAL | (strcmp(how, "deepbind") == 0 ? RTLD_DEEPBIND : 0));
}

static int call(const char* library, const char* how, const char* function) {
  void* handle = load(library, how);
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
    status = call(argv[1], argc > 2 ? argv[2] : "", "plugin_main");
  } else {
    status = call("libmpich.so.12", "", "MPI_Init");
    void* mpi = dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL);
    int (*finalize)(void) = NULL;
    *(void**)&finalize = dlsym(mpi, "MPI_Finalize");
    status += finalize();
  }
  printf("local_mpi: %d\n", status);
  return status;
}
