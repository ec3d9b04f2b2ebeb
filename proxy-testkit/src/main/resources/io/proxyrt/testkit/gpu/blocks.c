/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * A block of a kernel. It runs on one operating-system thread, and its threads take turns there: each has a stack of
 * its own, and gives way where it waits for the others or asks for the time, as threads that spin do. So what a block
 * shares is what an operating-system thread has of its own.
 */
#include "blocks.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

enum { STACK_BYTES = 128 << 10 };

enum turn { NEW, READY, AT_BARRIER, ENDED };

struct fiber {
    struct kernel_thread visible;
    enum turn turn;
    jmp_buf left;
    ucontext_t begin;
};

/* One block on its thread. */
struct block {
    const struct kernel_launch *launch;
    struct fiber fibers[MAX_BLOCK_THREADS];
    struct fiber *running;
    jmp_buf scheduler;
    uint32_t count;
    uint32_t ended;
    uint32_t waiting;
    bool has_moved;
    char *stacks;
};

static __thread struct block *this_block;
static __thread jmp_buf *on_fault __attribute__((tls_model("initial-exec")));

/* ---- faults ---- */

static struct sigaction others[NSIG];

/* Memory that is not there is the device's trouble, where a kernel or a copy looks at it; all else is the process's. */
static void handle_fault(int signal, siginfo_t *info, void *context) {
    if (on_fault != NULL) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, signal);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        _longjmp(*on_fault, 1);
    }
    struct sigaction *other = &others[signal];
    if ((other->sa_flags & SA_SIGINFO) != 0) {
        other->sa_sigaction(signal, info, context);
    } else if (other->sa_handler == SIG_DFL || other->sa_handler == SIG_IGN) {
        sigaction(signal, other, NULL);
    } else {
        other->sa_handler(signal);
    }
}

static void handle_faults(void) {
    static const int signals[] = {SIGSEGV, SIGBUS};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaction(signals[i], NULL, &others[signals[i]]);
        struct sigaction action = {.sa_sigaction = handle_fault,
                                   .sa_flags = others[signals[i]].sa_flags | SA_SIGINFO | SA_ONSTACK};
        action.sa_mask = others[signals[i]].sa_mask;
        sigaction(signals[i], &action, NULL);
    }
}

void handle_faults_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, handle_faults);
}

int guarded_copy(void *to, const void *from, int value, size_t bytes) {
    jmp_buf fault;
    handle_faults_once();
    if (_setjmp(fault) != 0) {
        on_fault = NULL;
        return ILLEGAL_ADDRESS;
    }
    on_fault = &fault;
    if (from != NULL) {
        memmove(to, from, bytes);
    } else {
        memset(to, value, bytes);
    }
    on_fault = NULL;
    return SUCCESS;
}

/* ---- threads of a block ---- */

static void leave_fiber(enum turn turn) {
    struct block *block = this_block;
    struct fiber *fiber = block->running;
    fiber->turn = turn;
    if (_setjmp(fiber->left) == 0) {
        _longjmp(block->scheduler, 1);
    }
}

/* __syncthreads: those that have ended count as there. */
static void barrier(void) {
    this_block->waiting++;
    this_block->has_moved = true;
    leave_fiber(AT_BARRIER);
}

static uint64_t clock_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

static uint64_t clock_of_thread(void) {
    leave_fiber(READY);
    return clock_ns();
}

const struct kernel_calls kernel_calls = {.barrier = barrier, .clock_ns = clock_of_thread};

static void begin_fiber(void) {
    const struct kernel_launch *launch = this_block->launch;
    const uint64_t *a = launch->arguments;
    launch->kernel->entry(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
                          a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23]);
    this_block->ended++;
    this_block->has_moved = true;
    leave_fiber(ENDED);
}

/* Comes back when the fiber leaves. */
__attribute__((noinline)) static void enter_fiber(struct block *block, struct fiber *fiber) {
    block->running = fiber;
    if (_setjmp(block->scheduler) != 0) {
        return;
    }
    if (fiber->turn == NEW) {
        setcontext(&fiber->begin);
    }
    _longjmp(fiber->left, 1);
}

static void prepare_fiber(struct block *block, uint32_t index, struct kernel_index of_block) {
    const struct kernel_launch *launch = block->launch;
    struct fiber *fiber = &block->fibers[index];
    struct size3 size = launch->block;
    fiber->turn = NEW;
    fiber->visible = (struct kernel_thread) {
        .thread = {index % size.x, index / size.x % size.y, index / size.x / size.y},
        .block = of_block,
        .block_size = {size.x, size.y, size.z},
        .grid_size = {launch->grid.x, launch->grid.y, launch->grid.z}};
    getcontext(&fiber->begin);
    fiber->begin.uc_stack.ss_sp = block->stacks + (size_t) index * STACK_BYTES;
    fiber->begin.uc_stack.ss_size = STACK_BYTES;
    fiber->begin.uc_link = NULL;
    makecontext(&fiber->begin, begin_fiber, 0);
}

static void open_barrier(struct block *block) {
    block->waiting = 0;
    for (uint32_t i = 0; i < block->count; i++) {
        if (block->fibers[i].turn == AT_BARRIER) {
            block->fibers[i].turn = READY;
        }
    }
}

/* All take turns until all have ended. When all that are left only look at the clock, other blocks have a turn. */
static void schedule(struct block *block, struct kernel_thread **slot) {
    while (block->ended < block->count) {
        block->has_moved = false;
        for (uint32_t i = 0; i < block->count; i++) {
            struct fiber *fiber = &block->fibers[i];
            if (fiber->turn == NEW || fiber->turn == READY) {
                *slot = &fiber->visible;
                enter_fiber(block, fiber);
            }
        }
        if (block->waiting + block->ended == block->count) {
            open_barrier(block);
        } else if (!block->has_moved) {
            sched_yield();
        }
    }
}

/* What a thread that runs blocks keeps for the next one; unmapped never, as the thread ends never. */
static struct block *block_of_thread(void) {
    if (this_block == NULL) {
        this_block = calloc(1, sizeof *this_block);
        this_block->stacks = mmap(NULL, (size_t) MAX_BLOCK_THREADS * STACK_BYTES, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    return this_block;
}

int run_block(const struct kernel_launch *launch, struct kernel_index index) {
    struct block *block = block_of_thread();
    jmp_buf fault;
    block->launch = launch;
    block->count = launch->block.x * launch->block.y * launch->block.z;
    block->ended = 0;
    block->waiting = 0;
    for (uint32_t i = 0; i < block->count; i++) {
        prepare_fiber(block, i, index);
    }
    if (_setjmp(fault) != 0) {
        on_fault = NULL;
        return ILLEGAL_ADDRESS;
    }
    on_fault = &fault;
    schedule(block, launch->kernel->module->slot());
    on_fault = NULL;
    return SUCCESS;
}
