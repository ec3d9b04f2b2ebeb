/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Other ways into the kernel than send() and recv(), for messages between two processes over one loopback socket.
 *
 *   netengines zerocopy|uring rtt|stream SECONDS SIZE...
 *
 * zerocopy: send() with MSG_ZEROCOPY, done when the kernel says so in the error queue; recv(). uring: one operation at a
 * time through an io_uring whose completions are run by the thread that waits for them, which spins. Messages of a
 * stream come from, and go to, eight places in turn. Pinned, and printed, as netpeer's; prints nothing where the kernel
 * has not got it.
 */
#define _GNU_SOURCE
#include "sockets.h"
#include <linux/errqueue.h>
#include <linux/io_uring.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_SAMPLES (1 << 22)
#define MIN_MESSAGES 8        /* that count, however long that takes */
#define BUFFERS 8
#define WARM_UP 0.2           /* part of the time that is not counted */

static int s, isUring;
static struct {
  int fd;
  _Atomic unsigned *sqTail, *cqHead, *cqTail;
  unsigned sqMask, cqMask, *sqArray;
  struct io_uring_sqe *sqes;
  struct io_uring_cqe *cqes;
} ring;

/* Returns 0 if there is no io_uring. */
static int openRing(void) {
  struct io_uring_params p = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
  ring.fd = syscall(SYS_io_uring_setup, 8, &p);
  if (ring.fd < 0 || !(p.features & IORING_FEAT_SINGLE_MMAP)) return 0;
  size_t sqBytes = p.sq_off.array + p.sq_entries * sizeof(unsigned);
  size_t cqBytes = p.cq_off.cqes + p.cq_entries * sizeof *ring.cqes;
  char *rings = mmap(NULL, sqBytes > cqBytes ? sqBytes : cqBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                     ring.fd, IORING_OFF_SQ_RING);
  ring.sqes = mmap(NULL, p.sq_entries * sizeof *ring.sqes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd,
                   IORING_OFF_SQES);
  if (rings == MAP_FAILED || ring.sqes == MAP_FAILED) return 0;
  ring.sqTail = (void *)(rings + p.sq_off.tail);
  ring.sqMask = *(unsigned *)(rings + p.sq_off.ring_mask);
  ring.sqArray = (void *)(rings + p.sq_off.array);
  ring.cqHead = (void *)(rings + p.cq_off.head);
  ring.cqTail = (void *)(rings + p.cq_off.tail);
  ring.cqMask = *(unsigned *)(rings + p.cq_off.ring_mask);
  ring.cqes = (void *)(rings + p.cq_off.cqes);
  return 1;
}

static long operate(int operation, char *bytes, size_t n) {
  unsigned tail = *ring.sqTail, place = tail & ring.sqMask, head = *ring.cqHead;
  ring.sqes[place] = (struct io_uring_sqe){.opcode = operation, .fd = s, .addr = (uintptr_t)bytes,
      .len = n < 1 << 30 ? n : 1 << 30, .msg_flags = operation == IORING_OP_SEND ? MSG_NOSIGNAL : 0};
  ring.sqArray[place] = place;
  atomic_store_explicit(ring.sqTail, tail + 1, memory_order_release);
  syscall(SYS_io_uring_enter, ring.fd, 1, 0, IORING_ENTER_GETEVENTS, NULL, 0);
  while (atomic_load_explicit(ring.cqTail, memory_order_acquire) == head) {
    syscall(SYS_io_uring_enter, ring.fd, 0, 0, IORING_ENTER_GETEVENTS, NULL, 0);
  }
  long result = ring.cqes[head & ring.cqMask].res;
  atomic_store_explicit(ring.cqHead, head + 1, memory_order_release);
  return result;
}

/* Returns how many sends the kernel is through with. */
static long reap(void) {
  char control[128];
  struct msghdr message = {.msg_control = control, .msg_controllen = sizeof control};
  if (recvmsg(s, &message, MSG_ERRQUEUE) < 0) return 0;
  struct sock_extended_err *range = (void *)CMSG_DATA(CMSG_FIRSTHDR(&message));
  return range->ee_data - range->ee_info + 1;
}

static void give(char *bytes, size_t n) {
  long pending = 0;
  for (size_t done = 0; done < n;) {
    ssize_t put = isUring ? operate(IORING_OP_SEND, bytes + done, n - done)
                          : send(s, bytes + done, n - done, MSG_NOSIGNAL | MSG_ZEROCOPY);
    if (put > 0) {
      done += put;
      pending += !isUring;
    } else if (isUring || (errno != EAGAIN && errno != ENOBUFS)) {
      fail("send");
    }
    if (put < 0) pending -= reap();
  }
  while (pending > 0) pending -= reap();
}

static void take(char *bytes, size_t n) {
  if (!isUring) {
    if (!receive(s, bytes, n)) fail("the peer left");
    return;
  }
  for (size_t done = 0; done < n;) {
    long got = operate(IORING_OP_RECV, bytes + done, n - done);
    if (got <= 0) fail("the peer left");
    done += got;
  }
}

/* The first byte says whether another round trip follows. */
static void roundTrips(char *bytes, size_t size, double seconds) {
  static uint32_t ns[MAX_SAMPLES];
  long count = 0;
  int64_t begin = now() + (int64_t)(seconds * WARM_UP * 1e9), end = begin + (int64_t)(seconds * 1e9), start;
  for (bytes[0] = 1; bytes[0];) {
    bytes[0] = ((start = now()) < end || count < MIN_MESSAGES) && count < MAX_SAMPLES;
    give(bytes, size);
    take(bytes, size);
    int64_t took = now() - start;
    if (start >= begin && bytes[0]) ns[count++] = took < UINT32_MAX ? took : UINT32_MAX;
  }
  qsort(ns, count, sizeof *ns, compare);
  printf("R\t%zu\trtt_p50\t%u\nR\t%zu\trtt_p99\t%u\n", size, ns[count / 2], size, ns[(long)(count * .99)]);
}

static void echo(char *bytes, size_t size) {
  do {
    take(bytes, size);
    give(bytes, size);
  } while (bytes[0]);
}

static void streamOut(char *bytes, size_t size, double seconds) {
  int64_t end = now() + (int64_t)(seconds * (1 + WARM_UP) * 1e9);
  char more = 1;
  for (long i = 0; more; i++) {
    more = bytes[i % BUFFERS * size] = i < MIN_MESSAGES || now() < end;
    give(bytes + i % BUFFERS * size, size);
  }
  take(bytes, 1);
}

static void streamIn(char *bytes, size_t size, double seconds) {
  int64_t start = now(), begin = 0;
  long counted = 0, all = 0;
  char more = 1;
  for (long i = 0; more; i++, all++) {
    take(bytes + i % BUFFERS * size, size);
    more = bytes[i % BUFFERS * size];
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
  give(bytes, 1);
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: netengines zerocopy|uring rtt|stream SECONDS SIZE...\n");
    return 2;
  }
  isUring = !strcmp(argv[1], "uring");
  int isStream = !strcmp(argv[2], "stream"), near, far, on = 1;
  double seconds = atof(argv[3]);
  struct sockaddr_in address;
  connectPair(listenOnLoopback(&address), &address, &near, &far);
  if (!isUring && (setsockopt(near, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on)
                   || setsockopt(far, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on))) return 0;
  if (isUring && !openRing()) return 0;
  close(ring.fd > 0 ? ring.fd : -1);
  pid_t parent = getpid(), child = fork();
  alarm((unsigned)(seconds * (argc - 4)) + PATIENCE_S);
  pin(child == 0 ? 1 : 0);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) return 1;
  }
  s = child ? near : far;
  close(child ? far : near);
  if (isUring && !openRing()) return 1;
  if (!isUring) unblock(s);
  for (int i = 4; i < argc; i++) {
    size_t size = strtoull(argv[i], NULL, 10);
    char *bytes = malloc(size * BUFFERS);
    if (size < 1 || !bytes) return 2;
    memset(bytes, 1, size * BUFFERS);
    if (child && isStream) streamIn(bytes, size, seconds);
    else if (child) roundTrips(bytes, size, seconds);
    else if (isStream) streamOut(bytes, size, seconds);
    else echo(bytes, size);
    free(bytes);
  }
  if (child) waitpid(child, NULL, 0);
  return 0;
}
