/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What MPI makes of the same work; seconds are for each size, sizes in bytes.
 *
 *   mpirun ... mpibench allreduce SECONDS MIN MAX FACTOR    sums of floats; the largest size always comes last
 *   mpirun ... mpibench reduce    SECONDS MIN MAX FACTOR    the same, for rank 0 alone
 *   mpirun ... mpibench alltoall  SECONDS MIN MAX FACTOR    floats; a size is all that a rank sends, its own part too
 *   mpirun ... mpibench rtt       SECONDS SIZE...           so many bytes each way, one message at a time
 *   mpirun ... mpibench stream    SECONDS SIZE...           one way, a window of messages at a time
 *   mpirun ... mpibench apart     SECONDS SIZE...           the same, each message of a window in a place of its own
 *
 * Rank 0 prints "R<TAB>SIZE<TAB>metric<TAB>value". The time of a collective is that of the slowest rank over a batch
 * of calls, the mean of the batches, out of place (out_us) and in place (in_us); every element is checked. Its calls
 * move through memory of the largest size; sizes, that and the mean are as with nccl-tests and proxyrt perf. rtt_p50
 * and more in ns, with one reading of the clock in each; gbs in 10^9 bytes a second. All messages of a rank come from,
 * and go to, the same place, unless they are apart.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_BATCHES 5
#define MAX_SAMPLES (1 << 22)
#define WINDOW_BYTES (4 << 20)
#define MAX_WINDOW 64
#define MIN_WINDOW 8
#define MIN_SAMPLES 8         /* that many, however long that takes */
#define WARM_UP 0.2           /* part of the time that is not counted */

static int rank, ranks;

static long callsOf(size_t size) {
  return size >= 4 << 20 ? 2 : size >= 1 << 16 ? 20 : 500;
}

/* Null for in: in place. */
typedef void Call(char *in, char *out, size_t size);

static void allReduce(char *in, char *out, size_t size) {
  MPI_Allreduce(in ? in : MPI_IN_PLACE, out, size / sizeof(float), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce(char *in, char *out, size_t size) {
  void *source = in ? in : rank == 0 ? MPI_IN_PLACE : out;
  MPI_Reduce(source, rank == 0 ? out : NULL, size / sizeof(float), MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allToAll(char *in, char *out, size_t size) {
  int count = size / sizeof(float) / ranks;
  MPI_Alltoall(in ? in : MPI_IN_PLACE, count, MPI_FLOAT, out, count, MPI_FLOAT, MPI_COMM_WORLD);
}

/* Ranks exchange whole floats. */
static void requireParts(size_t size) {
  size_t least = sizeof(float) * ranks;
  if (size % least == 0) return;
  fprintf(stderr, "alltoall of %zu bytes: must be a multiple of %zu, a float for each of %d ranks\n", size, least, ranks);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static double batch(Call *call, char *in, char *out, size_t size, size_t room, long calls) {
  static long number;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime(), most;
  for (long i = 0; i < calls; i++) {
    size_t at = number++ % (room / size) * size;
    call(in ? in + at : NULL, out + at, size);
  }
  double took = (MPI_Wtime() - start) / calls;
  MPI_Allreduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

static float input(int of, size_t i) {
  return 1000 * (of + 1) + i % 1000;
}

/* Sums up to 2^24 are exact. */
static float output(Call *call, size_t i, size_t count) {
  if (call == allToAll) return input(i / (count / ranks), rank * (count / ranks) + i % (count / ranks));
  return 1000 * (ranks * (ranks + 1) / 2) + ranks * (int)(i % 1000);
}

/* One call with known values. */
static void check(Call *call, float *in, float *out, size_t count, int isInPlace) {
  float *source = isInPlace ? out : in;
  for (size_t i = 0; i < count; i++) source[i] = input(rank, i);
  call(isInPlace ? NULL : (char *)in, (char *)out, count * sizeof *in);
  for (size_t i = 0; i < count && (call != reduce || rank == 0); i++) {
    if (out[i] != output(call, i, count)) {
      fprintf(stderr, "wrong element %zu of %zu: %f\n", i, count, out[i]);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
}

static void measure(Call *call, float *in, float *out, size_t size, size_t room, double seconds, int isInPlace) {
  double sum = 0;
  int n = 0, goes = 1;
  check(call, in, out, size / sizeof *in, isInPlace);
  memset(in, 0, room);   /* in place, anything else grows for ever */
  memset(out, 0, room);
  double start = MPI_Wtime();
  char *source = isInPlace ? NULL : (char *)in;
  batch(call, source, (char *)out, size, room, callsOf(size));
  while (goes) {
    sum += batch(call, source, (char *)out, size, room, callsOf(size));
    goes = ++n < MIN_BATCHES || MPI_Wtime() - start < seconds;
    MPI_Bcast(&goes, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("R\t%zu\t%s\t%.6g\n", size, isInPlace ? "in_us" : "out_us", sum / n * 1e6);
}

static int byTime(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return x < y ? -1 : x > y;
}

/* The first byte of a message says whether another one follows. */
static void roundTrips(char *out, char *in, size_t size, double seconds) {
  static float ns[MAX_SAMPLES];
  long count = 0;
  double start = MPI_Wtime(), begin = start + seconds * WARM_UP, end = start + seconds;
  for (out[0] = 1; out[0];) {
    out[0] = (start < end || count < MIN_SAMPLES) && count < MAX_SAMPLES;
    MPI_Send(out, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(in, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double done = MPI_Wtime();
    if (start >= begin && out[0]) ns[count++] = (done - start) * 1e9;
    start = done;
  }
  qsort(ns, count, sizeof *ns, byTime);
  printf("R\t%zu\trtt_p50\t%.1f\nR\t%zu\trtt_p99\t%.1f\n", size, ns[count / 2], size, ns[(long)(count * .99)]);
}

static void echo(char *out, char *in, size_t size) {
  do {
    MPI_Recv(in, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    out[0] = in[0];
    MPI_Send(out, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  } while (in[0]);
}

static int windowOf(size_t size) {
  return WINDOW_BYTES / size > MAX_WINDOW ? MAX_WINDOW : WINDOW_BYTES / size < MIN_WINDOW ? MIN_WINDOW
      : WINDOW_BYTES / size;
}

static void moveWindow(char *bytes, size_t size, size_t stride, int messages) {
  MPI_Request requests[MAX_WINDOW];
  for (int i = 0; i < messages; i++, bytes += stride) {
    if (rank == 0) MPI_Isend(bytes, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[i]);
    else MPI_Irecv(bytes, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
}

/* Before a window the sender says whether it is the last; after it the receiver says that all is there. */
static void stream(char *bytes, size_t size, size_t stride, double seconds) {
  int window = windowOf(size);
  double start = MPI_Wtime(), begin = 0, now = start;
  long counted = 0;
  char goes = 1, there;
  while (goes) {
    goes = now < start + seconds * (1 + WARM_UP) || counted == 0;
    if (rank == 0) MPI_Send(&goes, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    else MPI_Recv(&goes, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    moveWindow(bytes, size, stride, window);
    if (rank == 0) MPI_Recv(&there, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else MPI_Send(&there, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    now = MPI_Wtime();
    if (begin > 0) counted += window;
    else if (now > start + seconds * WARM_UP) begin = now;
  }
  if (rank == 0) printf("R\t%zu\tgbs\t%.6g\n", size, (double)size * counted / (now - begin) / 1e9);
}

static void collectives(Call *call, char **words) {
  double seconds = atof(words[0]);
  size_t min = strtoull(words[1], NULL, 10), max = strtoull(words[2], NULL, 10), factor = strtoull(words[3], NULL, 10);
  float *in = malloc(max), *out = malloc(max);
  for (size_t size = min; size; size = size == max ? 0 : size * factor > max ? max : size * factor) {
    if (call == allToAll) requireParts(size);
    measure(call, in, out, size, max, seconds / 2, 0);
    measure(call, in, out, size, max, seconds / 2, 1);
  }
}

static void streams(int isApart, int argc, char **argv) {
  for (int i = 3; i < argc; i++) {
    size_t size = strtoull(argv[i], NULL, 10), all = isApart ? size * windowOf(size) : size;
    char *bytes = malloc(all);
    memset(bytes, 1, all);
    stream(bytes, size, isApart ? size : 0, atof(argv[2]));
    free(bytes);
  }
}

static void messages(int argc, char **argv) {
  for (int i = 3; i < argc; i++) {
    size_t size = strtoull(argv[i], NULL, 10);
    char *out = malloc(size), *in = malloc(size);
    memset(out, 1, size);
    memset(in, 1, size);
    if (rank == 0) roundTrips(out, in, size, atof(argv[2]));
    else echo(out, in, size);
    free(out);
    free(in);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *mode = argc > 3 ? argv[1] : "";
  Call *call = !strcmp(mode, "allreduce") ? allReduce : !strcmp(mode, "reduce") ? reduce
      : !strcmp(mode, "alltoall") ? allToAll : NULL;
  if (call && argc == 6) {
    collectives(call, argv + 2);
  } else if (ranks == 2 && !strcmp(mode, "rtt")) {
    messages(argc, argv);
  } else if (ranks == 2 && (!strcmp(mode, "stream") || !strcmp(mode, "apart"))) {
    streams(!strcmp(mode, "apart"), argc, argv);
  } else {
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return 0;
}
