/* writes mpi-io|hdf5: rank 0 writes a megabyte in checkpoint() in each of five steps, the others wait for it at a barrier.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <string.h>
#ifdef WRITES_HDF5
#include <hdf5.h>
#endif

enum { kNumbers = 1 << 17, kSteps = 5 };
static double grid[kNumbers];

__attribute__((noinline)) static double kernel(void) {
  volatile double sum = 0.0;
  for (long i = 0; i < 2000000; ++i) sum = sum * 0.999 + 1.0;
  return sum;
}

static void write_by_mpi(void) {
  MPI_File file;
  MPI_File_open(MPI_COMM_SELF, "checkpoint.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 0, grid, kNumbers, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void write_by_hdf5(void) {
#ifdef WRITES_HDF5
  const hsize_t size = kNumbers;
  const hid_t file = H5Fcreate("checkpoint.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &size, NULL);
  const hid_t data =
      H5Dcreate2(file, "grid", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, grid);
  H5Dclose(data);
  H5Sclose(space);
  H5Fclose(file);
#endif
}

__attribute__((noinline)) static void checkpoint(const char* how) {
  if (strcmp(how, "mpi-io") == 0)
    write_by_mpi();
  else
    write_by_hdf5();
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < kSteps; ++step) {
    kernel();
    if (rank == 0) checkpoint(argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
