/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the peers that talk over sockets share.
 */
#ifndef SOCKETS_H
#define SOCKETS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#define PATIENCE_S 20         /* beyond the time asked for; then a signal ends the process */

static inline void fail(const char *what) {
  perror(what);
  exit(1);
}

static inline void pin(int n) {
  cpu_set_t allowed, one;
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (CPU_ISSET(cpu, &allowed) && n-- == 0) {
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof one, &one);
      return;
    }
  }
}

static inline int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static inline void unblock(int s) {
  fcntl(s, F_SETFL, fcntl(s, F_GETFL) | O_NONBLOCK);
}

static inline void noDelay(int s) {
  int on = 1;
  setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* Returns 0 at the end of the stream. */
static inline int receive(int s, char *bytes, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t got = recv(s, bytes + done, n - done, 0);
    if (got == 0) return 0;
    if (got < 0 && errno != EAGAIN) fail("recv");
    if (got > 0) done += got;
  }
  return 1;
}

static inline void transmit(int s, const char *bytes, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t put = send(s, bytes + done, n - done, MSG_NOSIGNAL);
    if (put < 0 && errno != EAGAIN) fail("send");
    if (put > 0) done += put;
  }
}

static inline int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* A socket that listens on the loopback device; address gets where. */
static inline int listenOnLoopback(struct sockaddr_in *address) {
  socklen_t length = sizeof *address;
  *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (void *)address, length) || listen(listener, 64)) fail("listen");
  getsockname(listener, (void *)address, &length);
  return listener;
}

/* A connected pair of one that listens. */
static inline void connectPair(int listener, const struct sockaddr_in *address, int *client, int *server) {
  *client = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(*client, (const void *)address, sizeof *address)) fail("connect");
  *server = accept(listener, NULL, NULL);
  noDelay(*client);
  noDelay(*server);
}

#endif
