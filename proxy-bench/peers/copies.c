/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What one thread's memcpy does, from one place to another in shared memory, both touched before.
 *
 *   copies SECONDS SIZE...        seconds for each size, bytes
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
  pin(0);
  for (int i = 2; i < argc; i++) {
    size_t size = strtoull(argv[i], NULL, 10);
    char *from = shared(size), *to = shared(size);
    long copies = 0;
    int64_t start = now(), took;
    do {
      for (size_t bytes = 0; bytes < 1 << 20; bytes += size, copies++) {
        memcpy(to, from, size);
        __asm__ volatile("" ::: "memory");
      }
    } while ((took = now() - start) < (int64_t)(atof(argv[1]) * 1e9));
    printf("R\t%zu\tgbs\t%.6g\n", size, (double)size * copies / took);
    munmap(from, size);
    munmap(to, size);
  }
  return 0;
}
