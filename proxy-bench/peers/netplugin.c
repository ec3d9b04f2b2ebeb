/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the networks of plug-ins are measured against: the same plug-in of NCCL's interface, version 11, called from C.
 * Two processes of one host; both ends spin.
 *
 *   netplugin rtt    SECONDS LIBRARY SIZE...    so many bytes each way, one message at a time
 *   netplugin stream SECONDS LIBRARY SIZE...    one way, eight requests in flight, each with a buffer of its own
 *   netplugin calls  SECONDS LIBRARY            a receive that nothing is sent to, asked for again and again
 *
 * The processes are pinned to the first and the second CPU of those allowed. Prints "R<TAB>SIZE<TAB>metric<TAB>value":
 * rtt_p50 and more in ns, with two readings of the clock in each; gbs in 10^9 bytes a second at the receiver; test_ns
 * of a call.
 */
#define _GNU_SOURCE
#define NET_VERSION 11
#include "../../proxy-testkit/src/main/resources/io/proxyrt/testkit/plugin/net_abi.h"
#include "sockets.h"
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WINDOW 8
#define PAGE 4096
#define MAX_SAMPLES (1 << 23)
#define MIN_MESSAGES 8        /* that count, however long that takes */
#define WARM_UP 0.2           /* part of the time that is not counted */
#define CALLS 1000            /* between two readings of the clock */

static const struct net_table *net;
static void *context, *sender, *receiver, *sendMemory, *recvMemory;
static char *sendBuffer, *recvBuffer;

static void check(int result, const char *call) {
  if (result != SUCCESS) {
    fprintf(stderr, "netplugin: %s returned %d\n", call, result);
    exit(1);
  }
}

static void ignore(int level, unsigned long subsystem, const char *file, int line, const char *format, ...) {
  (void)level, (void)subsystem, (void)file, (void)line, (void)format;
}

static void load(const char *library) {
  void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  net = loaded ? dlsym(loaded, "ncclNetPlugin_v11") : NULL;
  if (!net) {
    fprintf(stderr, "netplugin: %s\n", dlerror());
    exit(1);
  }
}

/* Connects both ways, by handles that the two processes tell each other. */
static void connectBoth(int other, size_t bytes) {
  struct comm_config config = {.traffic_class = -1};
  char handle[HANDLE_BYTES] = {0};
  void *listener, *device = NULL;
  check(net->init(&context, 1, &config, ignore, NULL), "init");
  check(net->listen(context, 0, handle, &listener), "listen");
  transmit(other, handle, sizeof handle);
  if (!receive(other, handle, sizeof handle)) fail("the peer left");
  while (!sender || !receiver) {
    if (!sender) check(net->connect(context, 0, handle, &sender, &device), "connect");
    if (!receiver) check(net->accept(listener, &receiver, &device), "accept");
  }
  check(net->close_listen(listener), "closeListen");
  sendBuffer = aligned_alloc(PAGE, (WINDOW * bytes + PAGE) / PAGE * PAGE);
  recvBuffer = aligned_alloc(PAGE, (WINDOW * bytes + PAGE) / PAGE * PAGE);
  memset(sendBuffer, 1, WINDOW * bytes);
  memset(recvBuffer, 1, WINDOW * bytes);
  check(net->reg_mr(sender, sendBuffer, WINDOW * bytes, PTR_HOST, &sendMemory), "regMr");
  check(net->reg_mr(receiver, recvBuffer, WINDOW * bytes, PTR_HOST, &recvMemory), "regMr");
}

static void *isend(char *data, size_t size) {
  void *request = NULL;
  while (!request) check(net->isend(sender, data, size, 0, sendMemory, NULL, &request), "isend");
  return request;
}

static void *irecv(char *data, size_t size) {
  void *at = data, *request = NULL, *phandle = NULL;
  int tag = 0;
  while (!request) check(net->irecv(receiver, 1, &at, &size, &tag, &recvMemory, &phandle, &request), "irecv");
  return request;
}

static int isDone(void *request) {
  int done = 0, size;
  check(net->test(request, &done, &size), "test");
  return done;
}

static void await(void *request) {
  while (!isDone(request));
}

/* One round trip of size bytes; the first says whether another one follows. */
static void roundTrips(size_t size, double seconds) {
  static uint32_t ns[MAX_SAMPLES];
  long count = 0;
  int64_t begin = now() + (int64_t)(seconds * WARM_UP * 1e9), end = begin + (int64_t)(seconds * 1e9), start = 0;
  for (sendBuffer[0] = 1; sendBuffer[0];) {
    sendBuffer[0] = ((start = now()) < end || count < MIN_MESSAGES) && count < MAX_SAMPLES;
    void *answer = irecv(recvBuffer, size);
    await(isend(sendBuffer, size));
    await(answer);
    int64_t took = now() - start;
    if (start >= begin && sendBuffer[0]) ns[count++] = took < UINT32_MAX ? took : UINT32_MAX;
  }
  qsort(ns, count, sizeof *ns, compare);
  printf("R\t%zu\trtt_p50\t%u\nR\t%zu\trtt_p99\t%u\n", size, ns[count / 2], size, ns[(long)(count * .99)]);
  printf("R\t%zu\trtt_p99.9\t%u\n", size, ns[(long)(count * .999)]);
}

static void echo(size_t size) {
  do {
    await(irecv(recvBuffer, size));
    await(isend(sendBuffer, size));
  } while (recvBuffer[0]);
}

/* The first byte of a message says whether another one follows. Empty ones are for what the receiver posts beyond. */
static void streamOut(size_t size, double seconds) {
  void *requests[WINDOW] = {NULL};
  char more = 1;
  int64_t end = now() + (int64_t)(seconds * (1 + WARM_UP) * 1e9);
  long i = 0;
  for (; more; i++) {
    char *data = sendBuffer + i % WINDOW * size;
    if (requests[i % WINDOW]) await(requests[i % WINDOW]);
    more = data[0] = i < MIN_MESSAGES || now() < end;
    requests[i % WINDOW] = isend(data, size);
  }
  for (int j = 0; j < 2 * WINDOW - 1; j++, i++) {
    if (requests[i % WINDOW]) await(requests[i % WINDOW]);
    requests[i % WINDOW] = j < WINDOW - 1 ? isend(sendBuffer, 0) : NULL;
  }
}

static void streamIn(size_t size, double seconds) {
  void *requests[WINDOW];
  char more = 1;
  int64_t start = now(), begin = 0, last = start;
  long counted = 0, i = 0;
  for (int j = 0; j < WINDOW; j++) requests[j] = irecv(recvBuffer + j * size, size);
  for (; more; i++) {
    char *data = recvBuffer + i % WINDOW * size;
    await(requests[i % WINDOW]);
    more = data[0];
    if (more) requests[i % WINDOW] = irecv(data, size);
    last = now();
    if (begin) counted++;
    else if (last - start > (int64_t)(seconds * WARM_UP * 1e9)) begin = last;
  }
  for (int j = 0; j < WINDOW - 1; j++, i++) await(requests[i % WINDOW]);
  if (counted) printf("R\t%zu\tgbs\t%.6g\n", size, (double)size * counted / (last - begin));
  else printf("R\t%zu\tgbs\t%.6g\n", size, (double)size * (i - WINDOW + 1) / (last - start));
}

static void calls(double seconds) {
  void *request = irecv(recvBuffer, 1);
  int64_t start = now(), end = start + (int64_t)(seconds * 1e9), last = start;
  long count = 0;
  for (; last < end; last = now(), count += CALLS) {
    for (int i = 0; i < CALLS; i++) {
      if (isDone(request)) fail("a message came that was not sent");
    }
  }
  printf("R\t1\ttest_ns\t%.4g\n", (double)(last - start) / count);
}

int main(int argc, char **argv) {
  int isStream = argc > 1 && !strcmp(argv[1], "stream"), isCalls = argc > 1 && !strcmp(argv[1], "calls");
  if (argc < (isCalls ? 4 : 5)) {
    fprintf(stderr, "usage: netplugin rtt|stream SECONDS LIBRARY SIZE... | netplugin calls SECONDS LIBRARY\n");
    return 2;
  }
  double seconds = atof(argv[2]);
  size_t most = 1;
  for (int i = 4; i < argc; i++) {
    size_t size = strtoull(argv[i], NULL, 10);
    if (size < 1) return 2;
    most = size > most ? size : most;
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) fail("socketpair");
  pid_t parent = getpid(), child = fork();
  alarm((unsigned)(seconds * (argc - 3)) + PATIENCE_S);
  pin(child == 0 ? 1 : 0);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) return 1;
  }
  load(argv[3]);
  connectBoth(ends[child == 0], most);
  for (int i = 4; i < argc; i++) {
    size_t size = strtoull(argv[i], NULL, 10);
    if (child && isStream) streamIn(size, seconds);
    else if (child) roundTrips(size, seconds);
    else if (isStream) streamOut(size, seconds);
    else echo(size);
  }
  if (child && isCalls) calls(seconds);
  char bye = 0;
  if (child) {
    transmit(ends[0], &bye, 1);
    waitpid(child, NULL, 0);
  } else {
    receive(ends[1], &bye, 1);
  }
  return 0;
}
