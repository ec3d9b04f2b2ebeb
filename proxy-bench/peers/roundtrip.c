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
#include "sockets.h"
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BODY 64
#define FD_REQUEST 168        /* ncclIpcHdr with its 16 inline words */
#define FD_ANSWER 8
#define MAX_SAMPLES (1 << 23)
#define WARM_UP 0.2           /* part of the time that is not counted */

static const size_t ncclParts[] = {4, 8, 4, 4, BODY, 8};
static int spins, polls, isNccl, isFd;

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

static void measure(int s, double seconds) {
  uint32_t *ns = malloc(MAX_SAMPLES * sizeof *ns);
  long count = 0;
  int64_t begin = now() + (int64_t)(seconds * WARM_UP * 1e9), end = begin + (int64_t)(seconds * 1e9), start;
  // Where other threads have all CPUs, the first may take longer than all the time.
  while (((start = now()) < end || count == 0) && count < MAX_SAMPLES) {
    call(s);
    int64_t took = now() - start;
    if (start >= begin) ns[count++] = took < UINT32_MAX ? took : UINT32_MAX;
  }
  qsort(ns, count, sizeof *ns, compare);
  printf("R\trtt_p50\t%u\nR\trtt_p99\t%u\n", ns[count / 2], ns[(long)(count * .99)]);
  printf("R\trtt_p99.9\t%u\nR\trtt_max\t%u\nR\trtt_count\t%ld\n", ns[(long)(count * .999)], ns[count - 1], count);
}

/* A connected pair, and the listener it came from; -1 if there is none. */
static int connected(int isTcp, int *client, int *server) {
  int pair[2];
  if (!isTcp) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) fail("socketpair");
    *client = pair[0];
    *server = pair[1];
    return -1;
  }
  struct sockaddr_in address;
  int listener = listenOnLoopback(&address);
  connectPair(listener, &address, client, server);
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
  int listener = connected(!strcmp(argv[1], "tcp"), &client, &server);
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
