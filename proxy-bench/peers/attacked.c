/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A server in poll(), its one good client, and whoever else connects.
 *
 *   attacked
 *
 * Prints the port that the server listens at. For each line "NANOSECONDS PAUSE_NANOSECONDS" on the input, the client
 * calls for so long, 64 bytes and back, with such pauses between calls, and prints how many nanoseconds each of them
 * took, on one line. Ends with its input. Client and server are processes of their own, and the scheduler places them.
 *
 * The good client is known from the start. What others send is read, and answered as proxyrt's service would, but
 * without any cryptography: a hello is challenged, a proof refused, anything else closes; one that is silent stays
 * until there are MAX_UNAUTHENTICATED younger ones.
 */
#define _GNU_SOURCE
#include "sockets.h"
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BODY 64
#define MAX_UNAUTHENTICATED 128
#define HELLO 56
#define PROOF 32
#define CHALLENGE 56
#define REFUSAL 24
#define INVALID_USAGE 5
#define MAX_SAMPLES (1 << 20)
#define LISTENER 0
#define GOOD 1
#define UNAUTHENTICATED 2

static const char magic[] = "PRXRPC01";
/* Of the protocol. */
#define VERSION 4
static struct pollfd watched[UNAUTHENTICATED + MAX_UNAUTHENTICATED];
static size_t held[UNAUTHENTICATED + MAX_UNAUTHENTICATED];
static nfds_t count = UNAUTHENTICATED;

static void leave(nfds_t i) {
  close(watched[i].fd);
  count--;
  memmove(watched + i, watched + i + 1, (count - i) * sizeof *watched);
  memmove(held + i, held + i + 1, (count - i) * sizeof *held);
}

static void welcome(void) {
  int s = accept4(watched[LISTENER].fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (s < 0) return;
  noDelay(s);
  if (count == UNAUTHENTICATED + MAX_UNAUTHENTICATED) leave(UNAUTHENTICATED);
  watched[count] = (struct pollfd){.fd = s, .events = POLLIN};
  held[count++] = 0;
}

static void answer(int s, uint8_t status, size_t bytes) {
  char frame[CHALLENGE] = {0};
  memcpy(frame, magic, 8);
  frame[9] = VERSION;
  frame[15] = status;
  if (send(s, frame, bytes, MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET) fail("send");
}

/* Whether the stranger stays. */
static int hear(nfds_t i) {
  char bytes[HELLO + PROOF];
  ssize_t got = recv(watched[i].fd, bytes, sizeof bytes, 0);
  if (got <= 0) return got < 0 && errno == EAGAIN;
  for (ssize_t k = 0; k < got && held[i] + k < 8; k++) {
    if (bytes[k] != magic[held[i] + k]) return 0;
  }
  size_t before = held[i];
  held[i] += got;
  if (before < HELLO && held[i] >= HELLO) answer(watched[i].fd, 0, CHALLENGE);
  if (held[i] < HELLO + PROOF) return 1;
  answer(watched[i].fd, INVALID_USAGE, REFUSAL);
  return 0;
}

/* Until the good client closes. */
static void serve(int listener, int good) {
  char body[BODY];
  watched[LISTENER] = (struct pollfd){.fd = listener, .events = POLLIN};
  watched[GOOD] = (struct pollfd){.fd = good, .events = POLLIN};
  unblock(good);
  unblock(listener);
  for (;;) {
    if (poll(watched, count, 500) <= 0) continue;
    if (watched[GOOD].revents) {
      if (!receive(good, body, BODY)) return;
      transmit(good, body, BODY);
    }
    for (nfds_t i = count; i-- > UNAUTHENTICATED;) {
      if (watched[i].revents && !hear(i)) leave(i);
    }
    if (watched[LISTENER].revents) welcome();
  }
}

static void call(int s, int64_t duration, int64_t pause) {
  static uint32_t ns[MAX_SAMPLES];
  static char body[BODY];
  long n = 0;
  int64_t start = now(), end = start + duration;
  struct timespec rest = {.tv_sec = pause / 1000000000, .tv_nsec = pause % 1000000000};
  while (start < end && n < MAX_SAMPLES) {
    transmit(s, body, BODY);
    if (!receive(s, body, BODY)) fail("the server left");
    ns[n++] = now() - start;
    if (pause > 0) nanosleep(&rest, NULL);
    start = now();
  }
  for (long i = 0; i < n; i++) printf("%u%c", ns[i], i + 1 < n ? ' ' : '\n');
  fflush(stdout);
}

int main(void) {
  struct sockaddr_in address;
  int listener = listenOnLoopback(&address), client, server;
  connectPair(listener, &address, &client, &server);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) return 1;
    close(client);
    serve(listener, server);
    return 0;
  }
  close(server);
  close(listener);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  long long duration, pause;
  while (scanf("%lld %lld", &duration, &pause) == 2) {
    call(client, duration, pause);
  }
  close(client);
  waitpid(child, NULL, 0);
  return 0;
}
