/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How long a cache line takes to another CPU and back, in nanoseconds, median of 50 blocks. On a virtual machine it
 * tells how far apart the host has placed two virtual CPUs at this moment. Prints "R<TAB>c2c_ns<TAB>value".
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TURNS 1000
#define BLOCKS 50

static _Alignas(256) atomic_long ping;
static _Alignas(256) atomic_long pong;
static cpu_set_t allowed;

/* Pins the thread to the n-th CPU that the process may use. */
static void pin(int n) {
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (CPU_ISSET(cpu, &allowed) && n-- == 0) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof one, &one);
      return;
    }
  }
}

static void await(atomic_long *word, long turn) {
  while (atomic_load_explicit(word, memory_order_acquire) < turn) {
    __builtin_ia32_pause();
  }
}

static void *answer(void *unused) {
  pin(1);
  for (long turn = 1; turn <= (long)TURNS * BLOCKS; turn++) {
    await(&ping, turn);
    atomic_store_explicit(&pong, turn, memory_order_release);
  }
  return unused;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(void) {
  sched_getaffinity(0, sizeof allowed, &allowed);
  if (CPU_COUNT(&allowed) < 2) {
    fprintf(stderr, "c2c needs two CPUs\n");
    return 1;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, answer, NULL);
  pin(0);
  double blocks[BLOCKS];
  long turn = 1;
  for (int block = 0; block < BLOCKS; block++) {
    double start = now();
    for (int i = 0; i < TURNS; i++, turn++) {
      atomic_store_explicit(&ping, turn, memory_order_release);
      await(&pong, turn);
    }
    blocks[block] = (now() - start) / TURNS;
  }
  pthread_join(thread, NULL);
  qsort(blocks, BLOCKS, sizeof *blocks, compare);
  printf("R\tc2c_ns\t%.1f\n", blocks[BLOCKS / 2]);
  return 0;
}
