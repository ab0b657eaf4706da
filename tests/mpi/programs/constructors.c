/* Calls that create communicators, and collective calls on a file; rank 0 is late for each of them, after
 * work of 2 units: the others wait 2 units in each (Wait at Communicator, Wait at File). With 4 ranks, of
 * which 0 and 1 are a group. MPI_Comm_free and MPI_File_get_size do not wait.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "examples/emulate.h"

static int rank;

static void rank_0_works(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) emulate_ms(2.0 * options.unit_ms);
}

/* 7 constructors over all ranks. */
static void of_all(void) {
  enum { kMade = 7, kRanks = 4 };
  const int dims[1] = {kRanks}, no[1] = {0}, index[kRanks] = {1, 2, 3, 4}, edges[kRanks] = {1, 0, 3, 2};
  const int other = rank ^ 1;
  MPI_Comm made[kMade];
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  rank_0_works();
  MPI_Comm_dup(MPI_COMM_WORLD, &made[0]);
  rank_0_works();
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &made[1]);
  rank_0_works();
  MPI_Comm_create(MPI_COMM_WORLD, world, &made[2]);
  rank_0_works();
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made[3]);
  rank_0_works();
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, no, 0, &made[4]);
  rank_0_works();
  MPI_Graph_create(MPI_COMM_WORLD, kRanks, index, edges, 0, &made[5]);
  rank_0_works();
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &made[6]);
  for (int i = 0; i < kMade; ++i) {
    rank_0_works();
    MPI_Comm_free(&made[i]);
  }
  MPI_Group_free(&world);
}

/* One over ranks 0 and 1, one that connects these with the others, one over both groups. */
static void of_groups(void) {
  const int first_two[2] = {0, 1};
  MPI_Group world, group;
  MPI_Comm half, made, both, merged;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, first_two, &group);
  rank_0_works();
  if (rank < 2) {
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 1, &made);
    MPI_Comm_free(&made);
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
  rank_0_works();
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 1, &both);
  rank_0_works();
  MPI_Intercomm_merge(both, rank < 2, &merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

static void on_file(const char* name) {
  MPI_File file;
  MPI_Offset size;
  rank_0_works();
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  rank_0_works();
  MPI_File_set_view(file, (MPI_Offset)sizeof rank * rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  rank_0_works();
  MPI_File_write_all(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  rank_0_works();
  MPI_File_get_size(file, &size);
  rank_0_works();
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  read_options(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  of_all();
  of_groups();
  on_file("results.dat");
  MPI_Finalize();
  return 0;
}
