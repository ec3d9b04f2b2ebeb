/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * MPI_Allreduce of floats, sums, sizes doubled (or so) from one to another; the largest always comes last.
 *
 *   mpirun ... mpibench SECONDS MIN MAX FACTOR        seconds for each size, bytes
 *
 * A time is that of the slowest rank over a batch of calls; the median of the batches is printed by rank 0 as
 * "R<TAB>SIZE<TAB>metric<TAB>us", out of place (out_us) and in place (in_us). Every element is checked.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_BATCHES 4096
#define MIN_BATCHES 5

static int rank, ranks;

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static long callsOf(size_t size) {
  return size >= 4 << 20 ? 2 : size >= 1 << 16 ? 20 : 500;
}

static double batch(float *in, float *out, size_t count, long calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime(), most;
  for (long i = 0; i < calls; i++) {
    MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }
  double took = (MPI_Wtime() - start) / calls;
  MPI_Allreduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

/* One call with known values: sums up to 2^24 are exact. */
static void check(float *in, float *out, size_t count, int isInPlace) {
  float *source = isInPlace ? out : in;
  for (size_t i = 0; i < count; i++) source[i] = rank + 1 + i % 1000;
  MPI_Allreduce(isInPlace ? MPI_IN_PLACE : in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  for (size_t i = 0; i < count; i++) {
    if (out[i] != ranks * (ranks + 1) / 2 + ranks * (int)(i % 1000)) {
      fprintf(stderr, "wrong sum of element %zu of %zu: %f\n", i, count, out[i]);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
}

static void measure(float *in, float *out, size_t size, double seconds, int isInPlace) {
  static double batches[MAX_BATCHES];
  int n = 0, goes = 1;
  check(in, out, size / sizeof *in, isInPlace);
  for (size_t i = 0; i < size / sizeof *in; i++) in[i] = out[i] = 0;   /* in place, anything else grows for ever */
  double start = MPI_Wtime();
  void *source = isInPlace ? MPI_IN_PLACE : in;
  batch(source, out, size / sizeof *in, callsOf(size));
  while (goes) {
    batches[n++] = batch(source, out, size / sizeof *in, callsOf(size));
    goes = n < MAX_BATCHES && (n < MIN_BATCHES || MPI_Wtime() - start < seconds);
    MPI_Bcast(&goes, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    qsort(batches, n, sizeof *batches, compare);
    printf("R\t%zu\t%s\t%.6g\n", size, isInPlace ? "in_us" : "out_us", batches[n / 2] * 1e6);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 5) MPI_Abort(MPI_COMM_WORLD, 2);
  size_t min = strtoull(argv[2], NULL, 10), max = strtoull(argv[3], NULL, 10), factor = strtoull(argv[4], NULL, 10);
  float *in = malloc(max), *out = malloc(max);
  for (size_t size = min; size; size = size == max ? 0 : size * factor > max ? max : size * factor) {
    measure(in, out, size, atof(argv[1]) / 2, 0);
    measure(in, out, size, atof(argv[1]) / 2, 1);
  }
  MPI_Finalize();
  return 0;
}
