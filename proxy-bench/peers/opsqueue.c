/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The ops pool as the proxies of NCCL and RCCL have it: pre-allocated descriptors of 192 bytes linked by index, posted
 * under a process-shared mutex with a condition variable (ncclProxyPost), taken whole by one consumer
 * (ncclProxyGetPostedOps, at most 16 ops a pass), and given back to a free list of each producer by compare-and-swap.
 *
 *   opsqueue WAIT PRODUCERS BATCH SECONDS [INTERVAL_NS CATCHES_UP]
 *
 * WAIT is what a consumer without ops does: block (on the condition variable), yield or spin (trylock each time).
 * With an interval, one producer posts at the beats of a clock; with CATCHES_UP 1, beats it missed are made up for.
 * Prints a line "R<TAB>metric<TAB>value" for each value. Ends with status 1 if an op was lost, doubled or overtaken.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define CAPACITY 2048
#define MAX_PRODUCERS 8
#define APPEND_BATCH 16
#define MAX_SAMPLES (1u << 22)
#define SAMPLE 64
#define COLD_SAMPLES 500      /* left out at a fixed rate, or a tenth of all if that is less */

typedef struct {
  int64_t seq;
  int64_t ts;
  uint64_t opCount;
  int next;
  int nsteps;
  int64_t words[20];
} op_t;
_Static_assert(sizeof(op_t) == 192, "an op has 192 bytes");

typedef struct {
  op_t ops[CAPACITY * MAX_PRODUCERS] __attribute__((aligned(64)));
  volatile int nextOps, nextOpsEnd;
  struct {
    atomic_int head;
    char pad[124];
  } freeOps[MAX_PRODUCERS] __attribute__((aligned(128)));
  pthread_mutex_t mutex;
  pthread_cond_t cond;
} pool_t;

typedef struct {
  uint32_t *ticks;
  uint64_t count;
} samples_t;

typedef struct {
  int id;
  uint64_t sent;
  samples_t service, response, locked;
} producer_t;

static pool_t *pool;
static int producers, batch, perProducer, blocks, spins, catchesUp;
static uint64_t intervalTicks, coldSamples = COLD_SAMPLES;
static atomic_int stopProducers, stopConsumer;
static double ticksPerNs;
static uint64_t total, consumed, broken;
static op_t args[64];
static samples_t latency;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static void samplesInit(samples_t *s) {
  s->ticks = malloc(MAX_SAMPLES * sizeof *s->ticks);
  memset(s->ticks, 0, MAX_SAMPLES * sizeof *s->ticks);
  s->count = 0;
}

static void sample(samples_t *s, uint64_t ticks) {
  if (s->count < MAX_SAMPLES) s->ticks[s->count++] = ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
}

static void post(int first, int last) {
  pthread_mutex_lock(&pool->mutex);
  if (pool->nextOps == -1) {
    pool->nextOps = first;
    pthread_cond_signal(&pool->cond);
  } else {
    pool->ops[pool->nextOpsEnd].next = first;
  }
  pool->nextOpsEnd = last;
  pthread_mutex_unlock(&pool->mutex);
}

static void *produce(void *argument) {
  producer_t *self = argument;
  int freeOp = -1;
  op_t template;
  memset(&template, 1, sizeof template);
  int64_t seq = 0;
  uint64_t posts = 0, beat = __rdtsc() + intervalTicks;
  while (!atomic_load_explicit(&stopProducers, memory_order_relaxed)) {
    uint64_t start = 0, waited = 0, t = 0;
    int timed = intervalTicks || (posts & (SAMPLE - 1)) == 0;
    if (intervalTicks) while ((t = __rdtsc()) < beat) _mm_pause();
    if (timed) start = intervalTicks ? t : __rdtsc();
    template.ts = (int64_t)start;
    int first = -1, last = -1;
    for (int b = 0; b < batch; b++) {
      int i = freeOp;
      if (i == -1) {
        uint64_t full = __rdtsc();
        while ((i = atomic_exchange_explicit(&pool->freeOps[self->id].head, -1, memory_order_acquire)) == -1) {
          if (atomic_load_explicit(&stopProducers, memory_order_relaxed)) goto out;
          sched_yield();
        }
        waited += __rdtsc() - full;
      }
      op_t *op = pool->ops + i;
      freeOp = op->next;
      if (op->next != -1) __builtin_prefetch(pool->ops + op->next);
      template.seq = seq++;
      template.opCount = (uint64_t)seq;
      template.words[19] = ~template.seq;
      memcpy(op, &template, sizeof *op);
      op->next = -1;
      if (first == -1) first = i;
      else pool->ops[last].next = i;
      last = i;
    }
    uint64_t locking = timed ? __rdtsc() : 0;
    post(first, last);
    posts++;
    self->sent += (uint64_t)batch;
    if (!timed) continue;
    uint64_t end = __rdtsc();
    if (!intervalTicks || posts > coldSamples) {
      sample(&self->service, end - start - (intervalTicks ? 0 : waited));
      sample(&self->locked, end - locking);
      if (intervalTicks) sample(&self->response, end - beat);
    }
    beat = (catchesUp ? beat : __rdtsc()) + intervalTicks;
  }
out:
  return NULL;
}

/* Sets *next to the ops posted since; leaves it alone if there are none to be had now. */
static void takePosted(int *next) {
  if (blocks) {
    pthread_mutex_lock(&pool->mutex);
    if (pool->nextOps == -1 && !atomic_load(&stopConsumer)) pthread_cond_wait(&pool->cond, &pool->mutex);
  } else if (pool->nextOps == -1 || pthread_mutex_trylock(&pool->mutex) != 0) {
    return;
  }
  *next = pool->nextOps;
  pool->nextOps = pool->nextOpsEnd = -1;
  pthread_mutex_unlock(&pool->mutex);
}

static void giveBack(int producer, int first, int last) {
  int old = atomic_load_explicit(&pool->freeOps[producer].head, memory_order_acquire);
  do pool->ops[last].next = old;
  while (!atomic_compare_exchange_weak_explicit(&pool->freeOps[producer].head, &old, first, memory_order_release,
                                                memory_order_acquire));
}

/* Whether the producers have ended and their ops were consumed, or a second has passed since. */
static int isOver(uint64_t n) {
  static double deadline;
  if (!atomic_load_explicit(&stopConsumer, memory_order_acquire)) return 0;
  if (deadline == 0) deadline = now() + 1;
  return n >= total || now() > deadline;
}

static void *consume(void *unused) {
  int next = -1;
  uint64_t n = 0;
  int64_t expected[MAX_PRODUCERS] = {0};
  while (!isOver(n)) {
    int added = 0;
    if (next == -1) takePosted(&next);
    int freeFirst[MAX_PRODUCERS], freeLast[MAX_PRODUCERS];
    for (int i = 0; i < producers; i++) freeFirst[i] = freeLast[i] = -1;
    uint64_t lastCount = 0;
    int lastProducer = -1, groups = 0;
    for (int i = next; i != -1;) {
      op_t *op = pool->ops + i;
      int producer = i / perProducer;
      if ((lastCount && op->opCount != lastCount) || (lastProducer != -1 && producer != lastProducer)) groups++;
      if (groups == APPEND_BATCH) break;
      lastCount = op->opCount;
      lastProducer = producer;
      if (op->next != -1) __builtin_prefetch(pool->ops + op->next);
      op_t *copy = &args[n & 63];
      memcpy(copy, op, sizeof *op);
      broken += copy->seq != expected[producer] || copy->words[19] != ~copy->seq;
      expected[producer] = copy->seq + 1;
      n++;
      added++;
      if (intervalTicks && n > coldSamples) sample(&latency, __rdtsc() - (uint64_t)copy->ts);
      int taken = i;
      i = op->next;
      if (freeFirst[producer] == -1) freeLast[producer] = taken;
      op->next = freeFirst[producer];
      freeFirst[producer] = taken;
      next = i;
    }
    for (int p = 0; p < producers; p++) if (freeFirst[p] != -1) giveBack(p, freeFirst[p], freeLast[p]);
    if (!added && spins) _mm_pause();
    else if (!added) sched_yield();
  }
  consumed = n;
  return unused;
}

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void report(const char *metric, samples_t *s) {
  static const char *names[] = {"p0", "p25", "p50", "p75", "p90", "p95", "p99", "p99.5", "p99.9", "p99.95", "p99.99",
                                "max"};
  static const double shares[] = {0, .25, .5, .75, .9, .95, .99, .995, .999, .9995, .9999, 1};
  if (s->count == 0) return;
  qsort(s->ticks, s->count, sizeof *s->ticks, compare);
  double sum = 0;
  for (uint64_t i = 0; i < s->count; i++) sum += s->ticks[i];
  printf("R\t%s_mean\t%.1f\n", metric, sum / s->count / ticksPerNs);
  for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++)
    printf("R\t%s_%s\t%.1f\n", metric, names[i], s->ticks[(uint64_t)(shares[i] * (s->count - 1))] / ticksPerNs);
  printf("R\t%s_count\t%lu\n", metric, (unsigned long)s->count);
}

static void calibrate(void) {
  uint64_t ticks = __rdtsc();
  double start = now();
  while (now() - start < 0.02) {
  }
  ticksPerNs = (double)(__rdtsc() - ticks) / (now() - start) * 1e-9;
  ticks = __rdtsc();
  uint64_t last = 0;
  for (int i = 0; i < 1000000; i++) last += __rdtsc();
  printf("R\ttimer_ns\t%.2f\n", (__rdtsc() - ticks + (last & 1)) / 1e6 / ticksPerNs);
}

static void makePool(void) {
  pool = aligned_alloc(128, (sizeof(pool_t) + 127) & ~127ul);
  memset(pool, 0, sizeof *pool);
  for (int i = 0; i < perProducer * producers; i++) pool->ops[i].next = (i + 1) % perProducer == 0 ? -1 : i + 1;
  for (int p = 0; p < producers; p++) pool->freeOps[p].head = p * perProducer;
  pool->nextOps = pool->nextOpsEnd = -1;
  pthread_mutexattr_t mutex;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_condattr_t cond;
  pthread_condattr_init(&cond);
  pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&pool->mutex, &mutex);
  pthread_cond_init(&pool->cond, &cond);
}

static void merge(samples_t *to, const samples_t *from) {
  for (uint64_t i = 0; i < from->count; i++) sample(to, from->ticks[i]);
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: opsqueue block|yield|spin PRODUCERS BATCH SECONDS [INTERVAL_NS CATCHES_UP]\n");
    return 2;
  }
  blocks = strcmp(argv[1], "block") == 0;
  spins = strcmp(argv[1], "spin") == 0;
  producers = atoi(argv[2]);
  batch = atoi(argv[3]);
  double seconds = atof(argv[4]);
  calibrate();
  intervalTicks = argc > 5 ? (uint64_t)(atof(argv[5]) * ticksPerNs) : 0;
  if (intervalTicks && seconds * 1e8 / atof(argv[5]) < COLD_SAMPLES) coldSamples = seconds * 1e8 / atof(argv[5]);
  catchesUp = argc > 6 && atoi(argv[6]);
  perProducer = CAPACITY;
  makePool();
  static producer_t posting[MAX_PRODUCERS];
  pthread_t consumer, threads[MAX_PRODUCERS];
  samplesInit(&latency);
  for (int i = 0; i < producers; i++) {
    posting[i].id = i;
    samplesInit(&posting[i].service);
    samplesInit(&posting[i].response);
    samplesInit(&posting[i].locked);
  }
  pthread_create(&consumer, NULL, consume, NULL);
  double start = now();
  for (int i = 0; i < producers; i++) pthread_create(&threads[i], NULL, produce, &posting[i]);
  usleep((useconds_t)(seconds * 1e6));
  atomic_store(&stopProducers, 1);
  uint64_t sent = 0;
  for (int i = 0; i < producers; i++) {
    pthread_join(threads[i], NULL);
    sent += posting[i].sent;
    if (i > 0) {
      merge(&posting[0].service, &posting[i].service);
      merge(&posting[0].locked, &posting[i].locked);
    }
  }
  double elapsed = now() - start;
  total = sent;
  atomic_store(&stopConsumer, 1);
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_signal(&pool->cond);
  pthread_mutex_unlock(&pool->mutex);
  pthread_join(consumer, NULL);
  if (!intervalTicks) printf("R\tmops\t%.4f\n", sent / elapsed / 1e6);
  report(intervalTicks ? "service" : "post", &posting[0].service);
  report("response", &posting[0].response);
  report("locked", &posting[0].locked);
  report("consumed", &latency);
  if (consumed < sent || broken) {
    fprintf(stderr, "sent %lu ops, consumed %lu, %lu of them out of order or torn\n", (unsigned long)sent,
            (unsigned long)consumed, (unsigned long)broken);
    return 1;
  }
  return 0;
}
