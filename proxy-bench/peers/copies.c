/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What one thread's memcpy does, from one place to another in shared memory, or from slot to slot in turn, all of it
 * touched before.
 *
 *   copies SECONDS SLOTS STRIDE SIZE...        seconds for each size, bytes from slot to slot, bytes
 *
 * Prints "R<TAB>SIZE<TAB>gbs<TAB>value", in 10^9 bytes a second.
 */
#define _GNU_SOURCE
#include "sockets.h"
#include <string.h>
#include <sys/mman.h>

static char *shared(size_t bytes) {
  char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("mmap");
  memset(memory, 1, bytes);
  return memory;
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  pin(0);
  size_t slots = strtoull(argv[2], NULL, 10), stride = strtoull(argv[3], NULL, 10);
  for (int i = 4; i < argc; i++) {
    size_t size = strtoull(argv[i], NULL, 10), all = (slots - 1) * stride + size;
    char *from = shared(all), *to = shared(all);
    size_t copies = 0;
    int64_t start = now(), took;
    do {
      for (size_t bytes = 0; bytes < 1 << 20; bytes += size, copies++) {
        size_t slot = copies % slots * stride;
        memcpy(to + slot, from + slot, size);
        __asm__ volatile("" ::: "memory");
      }
    } while ((took = now() - start) < (int64_t)(atof(argv[1]) * 1e9));
    printf("R\t%zu\tgbs\t%.6g\n", size, (double)size * copies / took);
    munmap(from, all);
    munmap(to, all);
  }
  return 0;
}
