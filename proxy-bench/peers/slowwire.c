/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A wire that takes its time, where the kernel has no netem, and a probe that tells how much it takes.
 *
 *   slowwire wire MICROSECONDS NAMESPACE...
 *   slowwire ping ADDRESS
 *
 * The wire joins hosts, each a network namespace that "ip netns" knows, to a switch: host i, from 1, gets a TUN device
 * "wire", for the address 10.1.0.i. Each packet is held for so long, and then handed to the host that it is for.
 * Packets stay in order and none is dropped: while all places are taken, none is read, and they wait in the devices'
 * queues.
 * Prints "ready" once the devices are there. A SIGTERM ends it; it then prints how many packets it carried, how many
 * of them it could hand over only later than due, how late the average one was, and what CPU time all took.
 *
 * The wire sleeps until a packet comes or is nearly due, as a virtual machine's timers ring late, and then looks again
 * and again. It gets a CPU at once only with a real-time priority: chrt -f 50.
 *
 * The probe sends 21 ICMP echo requests, one at a time, and prints the median of all round trips but the first, in
 * microseconds.
 */
#define _GNU_SOURCE
#include "sockets.h"
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_HOSTS 64
#define NETWORK 0x0a010000u   /* 10.1.0.0 */
#define PLACES 8192
/* Places do not begin in the same lines of a cache. */
#define PLACE_BYTES (65536 + 192)
/* The most that are read in a row from one host, before others are looked at and what is due goes out. */
#define BURST 16
/* Timers may ring so late. */
#define EARLY_NS 70000
#define LATE_NS 20000
#define PINGS 21

struct packet {
  int64_t due;
  int place, length, host;
};

static struct pollfd hosts[MAX_HOSTS];
static int count;
static struct packet held[PLACES];
static unsigned first, last;
static int vacant[PLACES], vacancies;
static char *places;
static int64_t delay;
static uint64_t carried, late;
static double lateness;
static volatile sig_atomic_t isEnded;

static void end(int signal) {
  (void)signal;
  isEnded = 1;
}

static void join(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "/run/netns/%s", name);
  int namespace = open(path, O_RDONLY | O_CLOEXEC);
  if (namespace < 0 || setns(namespace, CLONE_NEWNET) < 0) fail(path);
  close(namespace);
  int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  struct ifreq device = {.ifr_flags = IFF_TUN | IFF_NO_PI};
  strcpy(device.ifr_name, "wire");
  if (tun < 0 || ioctl(tun, TUNSETIFF, &device) < 0) fail("/dev/net/tun");
  hosts[count++] = (struct pollfd){.fd = tun, .events = POLLIN};
}

/* Which host a packet is for; -1 for one that is none of this network's, such as IPv6's. */
static int destination(const char *bytes, ssize_t length) {
  const struct iphdr *header = (const struct iphdr *)bytes;
  if (length < (ssize_t)sizeof *header || header->version != 4) return -1;
  uint32_t host = ntohl(header->daddr) - NETWORK;
  return host >= 1 && host <= (uint32_t)count ? (int)host - 1 : -1;
}

/* Whether there was one. */
static int take(int from) {
  int place = vacant[vacancies - 1];
  char *bytes = places + (size_t)place * PLACE_BYTES;
  ssize_t length = read(hosts[from].fd, bytes, PLACE_BYTES);
  if (length < 0) {
    if (errno != EAGAIN && errno != EINTR) fail("read");
    return 0;
  }
  int host = destination(bytes, length);
  if (host >= 0) {
    vacancies--;
    held[last++ % PLACES] = (struct packet){.due = now() + delay, .place = place, .length = length, .host = host};
  }
  return 1;
}

static void deliver(const struct packet *packet, int64_t time) {
  if (write(hosts[packet->host].fd, places + (size_t)packet->place * PLACE_BYTES, packet->length) < 0) fail("write");
  vacant[vacancies++] = packet->place;
  carried++;
  late += time - packet->due > LATE_NS;
  lateness += time - packet->due;
}

/* Hands over what is due; how long it is until more is. */
static int64_t deliverDue(void) {
  while (first != last) {
    int64_t time = now(), due = held[first % PLACES].due;
    if (due > time) return due - time;
    deliver(&held[first++ % PLACES], time);
  }
  return 1000000000;
}

static void carry(const sigset_t *whileAsleep) {
  while (!isEnded) {
    int64_t rest = deliverDue() - EARLY_NS;
    if (rest < 0) rest = 0;
    struct timespec patience = {.tv_sec = rest / 1000000000, .tv_nsec = rest % 1000000000};
    if (ppoll(vacancies == 0 ? NULL : hosts, vacancies == 0 ? 0 : count, &patience, whileAsleep) <= 0) continue;
    for (int i = 0; i < count; i++) {
      for (int n = 0; n < BURST && vacancies > 0 && hosts[i].revents != 0 && take(i); n++) deliverDue();
    }
  }
}

static int wire(int64_t microseconds, int names, char **name) {
  if (microseconds < 0 || microseconds > 1000000 || names < 1 || names > MAX_HOSTS) {
    fprintf(stderr, "slowwire: 0 to 1000000 microseconds and 1 to %d hosts\n", MAX_HOSTS);
    return 2;
  }
  delay = microseconds * 1000;
  places = mmap(NULL, (size_t)PLACES * PLACE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
      -1, 0);
  if (places == MAP_FAILED) fail("mmap");
  while (vacancies < PLACES) {
    vacant[vacancies] = vacancies;
    vacancies++;
  }
  sigset_t ending, before;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigprocmask(SIG_BLOCK, &ending, &before);
  sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
  for (int i = 0; i < names; i++) join(name[i]);
  puts("ready");
  fflush(stdout);
  int64_t start = now();
  carry(&before);
  printf("%llu packets, %.1f %% of them more than %d us late, on average %.1f us; %.1f s of CPU time in %.1f s\n",
      (unsigned long long)carried, carried == 0 ? 0 : 100.0 * late / carried, LATE_NS / 1000,
      carried == 0 ? 0 : lateness / carried / 1000, (double)clock() / CLOCKS_PER_SEC, (now() - start) / 1e9);
  return 0;
}

static uint16_t checksum(const struct icmphdr *header) {
  uint16_t words[sizeof *header / 2];
  memcpy(words, header, sizeof words);
  uint32_t sum = 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) sum += words[i];
  return ~((sum & 0xffff) + (sum >> 16));
}

static int isEcho(const char *bytes, ssize_t length, int sequence) {
  const struct iphdr *header = (const struct iphdr *)bytes;
  if (length < (ssize_t)sizeof *header || length < header->ihl * 4 + (ssize_t)sizeof(struct icmphdr)) return 0;
  struct icmphdr echo;
  memcpy(&echo, bytes + header->ihl * 4, sizeof echo);
  return echo.type == ICMP_ECHOREPLY && echo.un.echo.sequence == htons(sequence);
}

/* In nanoseconds. */
static uint32_t roundTrip(int s, int sequence) {
  struct icmphdr request = {.type = ICMP_ECHO, .un.echo = {.id = htons(1), .sequence = htons(sequence)}};
  request.checksum = checksum(&request);
  int64_t start = now();
  if (send(s, &request, sizeof request, 0) < 0) fail("send");
  char bytes[256];
  ssize_t length;
  do {
    length = recv(s, bytes, sizeof bytes, 0);
    if (length < 0) fail("no echo");
  } while (!isEcho(bytes, length, sequence));
  return now() - start;
}

/* The first waits for the routes to be looked up. */
static int ping(const char *address) {
  struct sockaddr_in to = {.sin_family = AF_INET};
  if (inet_pton(AF_INET, address, &to.sin_addr) != 1) {
    fprintf(stderr, "slowwire: %s is no address\n", address);
    return 2;
  }
  int s = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
  struct timeval patience = {.tv_sec = 5};
  if (s < 0 || setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0) fail("socket");
  if (connect(s, (struct sockaddr *)&to, sizeof to) < 0) fail(address);
  uint32_t times[PINGS];
  for (int i = 0; i < PINGS; i++) times[i] = roundTrip(s, i);
  qsort(times + 1, PINGS - 1, sizeof *times, compare);
  printf("%.0f\n", times[1 + (PINGS - 1) / 2] / 1e3);
  return 0;
}

int main(int argc, char **argv) {
  if (argc >= 4 && strcmp(argv[1], "wire") == 0) return wire(atoll(argv[2]), argc - 3, argv + 3);
  if (argc == 3 && strcmp(argv[1], "ping") == 0) return ping(argv[2]);
  fprintf(stderr, "usage: slowwire wire MICROSECONDS NAMESPACE... | slowwire ping ADDRESS\n");
  return 2;
}
