/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A request and its answer between two processes of one host, one at a time.
 *
 *   roundtrip tcp|unix poll|spin|nccl SECONDS [unpinned]     64 bytes each way
 *   roundtrip fd       poll|spin      SECONDS [unpinned]     168 bytes, then 8 bytes and a descriptor, closed at once
 *
 * poll: the client blocks, the server sleeps in poll() as the service thread of NCCL's and RCCL's proxies does. spin:
 * both ends look again and again. nccl: on the wire as the proxies' calls are, a request in six sends (type, connection,
 * two sizes, 64 bytes, number), an answer in two (24 bytes of header, 64 bytes); the client spins, the server poll()s.
 * Client and server are pinned to the first and the second CPU of the process, or left to the scheduler. Times include
 * two readings of the clock. Prints "R<TAB>rtt_p50<TAB>ns" and more lines like it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BODY 64
#define FD_REQUEST 168        /* ncclIpcHdr with its 16 inline words */
#define FD_ANSWER 8
#define MAX_SAMPLES (1 << 23)
#define WARM_UP 0.2           /* part of the time that is not counted */
#define PATIENCE_S 20         /* beyond the time asked for; then a signal ends the process */

static const size_t ncclParts[] = {4, 8, 4, 4, BODY, 8};
static int spins, polls, isNccl, isFd;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void pin(int n) {
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

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void unblock(int s) {
  fcntl(s, F_SETFL, fcntl(s, F_GETFL) | O_NONBLOCK);
}

static void noDelay(int s) {
  int on = 1;
  setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* Returns 0 at the end of the stream. */
static int receive(int s, char *bytes, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t got = recv(s, bytes + done, n - done, 0);
    if (got == 0) return 0;
    if (got < 0 && errno != EAGAIN) fail("recv");
    if (got > 0) done += got;
  }
  return 1;
}

static void transmit(int s, const char *bytes, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t put = send(s, bytes + done, n - done, MSG_NOSIGNAL);
    if (put < 0 && errno != EAGAIN) fail("send");
    if (put > 0) done += put;
  }
}

static void transmitFd(int s, int fd) {
  union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr header; } control = {0};
  char answer[FD_ANSWER] = {0};
  struct iovec body = {answer, sizeof answer};
  struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1, .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  struct cmsghdr *c = CMSG_FIRSTHDR(&message);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(c), &fd, sizeof fd);
  if (sendmsg(s, &message, MSG_NOSIGNAL) != sizeof answer) fail("sendmsg");
}

static int receiveFd(int s) {
  union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr header; } control;
  char answer[FD_ANSWER];
  struct iovec body = {answer, sizeof answer};
  struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1, .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  ssize_t got;
  while ((got = recvmsg(s, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EAGAIN) {
  }
  struct cmsghdr *c = CMSG_FIRSTHDR(&message);
  if (got != sizeof answer || !c || c->cmsg_type != SCM_RIGHTS) fail("recvmsg without a descriptor");
  int fd;
  memcpy(&fd, CMSG_DATA(c), sizeof fd);
  return fd;
}

/* Until the client closes. Polls the listener too, as the proxies do. */
static void serve(int s, int listener) {
  struct pollfd watched[2] = {{.fd = s, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
  char request[FD_REQUEST], header[24] = {0};
  int memory = isFd ? memfd_create("roundtrip", MFD_CLOEXEC) : -1;
  unblock(s);
  for (;;) {
    if (polls && poll(watched, listener >= 0 ? 2 : 1, 500) <= 0) continue;
    if (isNccl) {
      for (size_t part = 0; part < sizeof ncclParts / sizeof *ncclParts; part++) {
        if (!receive(s, ncclParts[part] == BODY ? request : header, ncclParts[part])) return;
      }
      transmit(s, header, sizeof header);
      transmit(s, request, BODY);
    } else if (!receive(s, request, isFd ? FD_REQUEST : BODY)) {
      return;
    } else if (isFd) {
      transmitFd(s, memory);
    } else {
      transmit(s, request, BODY);
    }
  }
}

static void call(int s) {
  static char request[FD_REQUEST], header[24];
  if (isNccl) {
    for (size_t part = 0; part < sizeof ncclParts / sizeof *ncclParts; part++) {
      transmit(s, ncclParts[part] == BODY ? request : header, ncclParts[part]);
    }
    if (!receive(s, header, sizeof header) || !receive(s, request, BODY)) fail("the server left");
  } else if (isFd) {
    transmit(s, request, FD_REQUEST);
    close(receiveFd(s));
  } else {
    transmit(s, request, BODY);
    if (!receive(s, request, BODY)) fail("the server left");
  }
}

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void measure(int s, double seconds) {
  uint32_t *ns = malloc(MAX_SAMPLES * sizeof *ns);
  long count = 0;
  int64_t begin = now() + (int64_t)(seconds * WARM_UP * 1e9), end = begin + (int64_t)(seconds * 1e9), start;
  while ((start = now()) < end && count < MAX_SAMPLES) {
    call(s);
    int64_t took = now() - start;
    if (start >= begin) ns[count++] = took < UINT32_MAX ? took : UINT32_MAX;
  }
  if (count == 0) {
    fprintf(stderr, "no round trip within %f s\n", seconds);
    exit(1);
  }
  qsort(ns, count, sizeof *ns, compare);
  printf("R\trtt_p50\t%u\nR\trtt_p99\t%u\n", ns[count / 2], ns[(long)(count * .99)]);
  printf("R\trtt_p99.9\t%u\nR\trtt_max\t%u\nR\trtt_count\t%ld\n", ns[(long)(count * .999)], ns[count - 1], count);
}

/* A connected pair, and the listener it came from; -1 if there is none. */
static int connectPair(int isTcp, int *client, int *server) {
  int pair[2];
  if (!isTcp) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) fail("socketpair");
    *client = pair[0];
    *server = pair[1];
    return -1;
  }
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (void *)&address, sizeof address) || listen(listener, 8)) fail("listen");
  getsockname(listener, (void *)&address, &length);
  *client = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(*client, (void *)&address, sizeof address)) fail("connect");
  *server = accept(listener, NULL, NULL);
  noDelay(*client);
  noDelay(*server);
  return listener;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: roundtrip tcp|unix|fd poll|spin|nccl SECONDS [unpinned]\n");
    return 2;
  }
  isFd = !strcmp(argv[1], "fd");
  spins = !strcmp(argv[2], "spin");
  isNccl = !strcmp(argv[2], "nccl");
  polls = !spins;
  double seconds = atof(argv[3]);
  int isPinned = argc < 5, client, server;
  int listener = connectPair(!strcmp(argv[1], "tcp"), &client, &server);
  pid_t parent = getpid(), child = fork();
  alarm((unsigned)seconds + PATIENCE_S);
  if (isPinned) pin(child == 0 ? 1 : 0);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) return 1;
    close(client);
    serve(server, listener);
    return 0;
  }
  close(server);
  if (spins || isNccl) unblock(client);
  measure(client, seconds);
  close(client);
  waitpid(child, NULL, 0);
  return 0;
}
