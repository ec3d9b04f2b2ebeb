/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How late a word in memory is seen that changes every so often, by a thread that spins, or by one that sleeps in
 * between and knows how long: what this machine's timers and other threads leave of such sleeping.
 *
 *   bursts SECONDS INTERVAL_NS SLEEP_NS        after each change it sleeps so long, then spins; 0: it spins
 *
 * Prints lines "R<TAB>metric<TAB>value": consumed_p50 and so on in ns, and cpu_pct, the consumer's. The first sixth
 * does not count.
 */
#define _GNU_SOURCE
#include "sockets.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <x86intrin.h>

static atomic_long posted;
static atomic_int isOver;
static int64_t sleepNs;
static uint32_t *late;
static int runIn, most;
static atomic_int count;
static double cpuPct;

static int64_t cpuTime(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sleepUntil(int64_t end) {
  struct timespec t = {end / 1000000000, end % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void *consume(void *unused) {
  int64_t seen = 0, start = 0, cpu = 0;
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  for (int n = 0; !isOver; n++) {
    int64_t value;
    while ((value = posted) == seen && !isOver) _mm_pause();
    if (isOver) break;
    seen = value;
    if (n == runIn) start = now(), cpu = cpuTime();
    if (n >= runIn && count < most) late[count++] = (uint32_t)(now() - value);
    if (sleepNs > 0) sleepUntil(now() + sleepNs);
  }
  cpuPct = 100.0 * (cpuTime() - cpu) / (now() - start);
  return unused;
}

static void report(const char *name, double share) {
  printf("R\tconsumed_%s\t%.1f\n", name, (double)late[(int)(share * (count - 1))]);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  int64_t interval = atoll(argv[2]);
  most = (int)(atof(argv[1]) * 1e9 / interval);
  runIn = most / 6;
  sleepNs = atoll(argv[3]);
  late = malloc(most * sizeof *late);
  pthread_t consumer;
  if (pthread_create(&consumer, NULL, consume, NULL) != 0) fail("pthread_create");
  int64_t next = now();
  // Where other threads have all CPUs, nothing may have been seen yet.
  int latest = most + (int)(5e9 / interval);
  for (int i = 0; i < most || (count == 0 && i < latest); i++, next += interval) {
    while (now() < next) _mm_pause();
    next = now();
    posted = next;
  }
  isOver = 1;
  pthread_join(consumer, NULL);
  if (count == 0) return 1;
  qsort(late, count, sizeof *late, compare);
  report("p50", .5);
  report("p99", .99);
  report("p99.9", .999);
  printf("R\tcpu_pct\t%.1f\n", cpuPct);
  return 0;
}
