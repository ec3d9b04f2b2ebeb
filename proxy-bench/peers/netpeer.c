/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the socket network is measured against: bytes of non-blocking TCP sockets between two processes of one host,
 * over loopback, without any framing; both ends spin.
 *
 *   netpeer rtt    SECONDS SIZE...                    so many bytes each way, one message at a time
 *   netpeer stream SECONDS SOCKETS BUFFERS SIZE...    one way; parts of at least 64 KiB, in turn over the sockets
 *   netpeer stream-reno ...                           the same, by reno instead of the host's congestion control
 *
 * One thread a side drives all sockets. Messages of a stream come from, and go to, BUFFERS places in turn. The
 * processes are pinned to the first and the second CPU of those allowed. Prints "R<TAB>SIZE<TAB>metric<TAB>value":
 * rtt_p50 and more in ns, with two readings of the clock in each; gbs in 10^9 bytes a second at the receiver.
 */
#define _GNU_SOURCE
#include "sockets.h"
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_SAMPLES (1 << 23)
#define MAX_SOCKETS 16
#define MIN_PART 65536
#define MIN_MESSAGES 8        /* that count, however long that takes */
#define WARM_UP 0.2           /* part of the time that is not counted */

static int sockets[MAX_SOCKETS], nSockets = 1;

/* One round trip of size bytes; the first says whether another one follows. */
static void roundTrips(size_t size, double seconds) {
  static uint32_t ns[MAX_SAMPLES];
  char *bytes = calloc(1, size);
  long count = 0;
  int64_t begin = now() + (int64_t)(seconds * WARM_UP * 1e9), end = begin + (int64_t)(seconds * 1e9), start = 0;
  for (bytes[0] = 1; bytes[0];) {
    bytes[0] = ((start = now()) < end || count < MIN_MESSAGES) && count < MAX_SAMPLES;
    transmit(sockets[0], bytes, size);
    if (!receive(sockets[0], bytes, size)) fail("the peer left");
    int64_t took = now() - start;
    if (start >= begin && bytes[0]) ns[count++] = took < UINT32_MAX ? took : UINT32_MAX;
  }
  free(bytes);
  qsort(ns, count, sizeof *ns, compare);
  printf("R\t%zu\trtt_p50\t%u\nR\t%zu\trtt_p99\t%u\n", size, ns[count / 2], size, ns[(long)(count * .99)]);
  printf("R\t%zu\trtt_p99.9\t%u\n", size, ns[(long)(count * .999)]);
}

static void echo(size_t size) {
  char *bytes = calloc(1, size);
  do {
    if (!receive(sockets[0], bytes, size)) fail("the peer left");
    transmit(sockets[0], bytes, size);
  } while (bytes[0]);
  free(bytes);
}

/* Moves one message, cut into parts that go over the sockets in turn, as far as each takes it. */
static void move(char *bytes, size_t size, int isSender) {
  size_t part = (size + nSockets - 1) / nSockets, done[MAX_SOCKETS] = {0};
  if (part < MIN_PART) part = MIN_PART;
  int parts = (size + part - 1) / part, left = parts;
  while (left) {
    for (int i = 0; i < parts; i++) {
      size_t length = (i + 1) * part < size ? part : size - i * part;
      if (done[i] == length) continue;
      char *at = bytes + i * part + done[i];
      ssize_t moved = isSender ? send(sockets[i], at, length - done[i], MSG_NOSIGNAL)
                               : recv(sockets[i], at, length - done[i], 0);
      if (moved == 0 || (moved < 0 && errno != EAGAIN)) fail("the peer left");
      if (moved > 0) done[i] += moved;
      left -= done[i] == length;
    }
  }
}

/* The first byte of a message says whether another one follows; the receiver's answer ends a size. */
static void streamOut(size_t size, int buffers, double seconds) {
  char *bytes = malloc(size * buffers), more = 1, answer;
  memset(bytes, 1, size * buffers);
  int64_t end = now() + (int64_t)(seconds * (1 + WARM_UP) * 1e9);
  for (long i = 0; more; i++) {
    more = bytes[i % buffers * size] = i < MIN_MESSAGES || now() < end;
    move(bytes + i % buffers * size, size, 1);
  }
  if (!receive(sockets[0], &answer, 1)) fail("the peer left");
  free(bytes);
}

static void streamIn(size_t size, int buffers, double seconds) {
  char *bytes = malloc(size * buffers), more = 1;
  memset(bytes, 1, size * buffers);
  int64_t start = now(), begin = 0;
  long counted = 0, all = 0;
  for (long i = 0; more; i++, all++) {
    move(bytes + i % buffers * size, size, 0);
    more = bytes[i % buffers * size];
    if (begin) {
      counted++;
    } else if (now() - start > (int64_t)(seconds * WARM_UP * 1e9)) {
      begin = now();
    }
  }
  if (counted == 0) {         /* on a busy machine all may have come by the first look at the clock */
    begin = start;
    counted = all;
  }
  printf("R\t%zu\tgbs\t%.6g\n", size, (double)size * counted / (now() - begin));
  transmit(sockets[0], bytes, 1);
  free(bytes);
}

int main(int argc, char **argv) {
  int isReno = argc > 1 && !strcmp(argv[1], "stream-reno");
  int isStream = isReno || argc > 1 && !strcmp(argv[1], "stream"), first = isStream ? 5 : 3, buffers = 1;
  if (argc <= first) {
    fprintf(stderr, "usage: netpeer rtt SECONDS SIZE... | netpeer stream[-reno] SECONDS SOCKETS BUFFERS SIZE...\n");
    return 2;
  }
  double seconds = atof(argv[2]);
  if (isStream) {
    nSockets = atoi(argv[3]);
    buffers = atoi(argv[4]);
  }
  if (nSockets < 1 || nSockets > MAX_SOCKETS || buffers < 1) return 2;
  struct sockaddr_in address;
  int listener = listenOnLoopback(&address), far[MAX_SOCKETS];
  for (int i = 0; i < nSockets; i++) connectPair(listener, &address, &sockets[i], &far[i]);
  for (int i = 0; isReno && i < nSockets; i++) {
    if (setsockopt(far[i], IPPROTO_TCP, TCP_CONGESTION, "reno", 4)) fail("TCP_CONGESTION");
  }
  pid_t parent = getpid(), child = fork();
  alarm((unsigned)(seconds * (argc - first)) + PATIENCE_S);
  pin(child == 0 ? 1 : 0);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) return 1;
  }
  for (int i = 0; i < nSockets; i++) {
    close(child == 0 ? sockets[i] : far[i]);
    if (child == 0) sockets[i] = far[i];
    unblock(sockets[i]);
  }
  for (int i = first; i < argc; i++) {
    size_t size = strtoull(argv[i], NULL, 10);
    if (size < 1) return 2;
    if (child && isStream) streamIn(size, buffers, seconds);
    else if (child) roundTrips(size, seconds);
    else if (isStream) streamOut(size, buffers, seconds);
    else echo(size);
  }
  if (child) waitpid(child, NULL, 0);
  return 0;
}
