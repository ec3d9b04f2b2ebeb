/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Times NCCL's collectives as nccl-tests and proxyrt perf do: N calls in a row on one stream, the time of all of them
 * divided by N, the average over the ranks. A process for each GPU. NCCL is loaded when this runs, so that its headers
 * need not be there, and reads its own NCCL_* variables.
 *
 *   nccl_perf LIBRARY LABEL RANKS LEAST MOST FACTOR CALLS COLLECTIVE...
 *
 * Sizes are nccl-tests': the greater of what a rank sends and receives, in bytes. Prints, for each size of each
 * collective: LABEL,RANKS,COLLECTIVE,bytes,microseconds; before them a line with #, which tells NCCL's version.
 */
#include <cuda_runtime.h>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <csignal>
#include <unistd.h>

namespace {

constexpr int most_ranks = 16;
constexpr int nccl_float = 7;
constexpr int nccl_sum = 0;
constexpr int warmups = 5;

struct Id {
    char bytes[128];
};
using Communicator = void *;

// Of all processes.
struct Shared {
    Id id;
    std::atomic<int> arrived;
    double microseconds[most_ranks];
};

struct Nccl {
    int (*version)(int *);
    int (*unique_id)(Id *);
    int (*init_rank)(Communicator *, int, Id, int);
    int (*destroy)(Communicator);
    int (*all_reduce)(const void *, void *, size_t, int, int, Communicator, cudaStream_t);
    int (*all_gather)(const void *, void *, size_t, int, Communicator, cudaStream_t);
    int (*reduce_scatter)(const void *, void *, size_t, int, int, Communicator, cudaStream_t);
    int (*broadcast)(const void *, void *, size_t, int, int, Communicator, cudaStream_t);
    int (*reduce)(const void *, void *, size_t, int, int, int, Communicator, cudaStream_t);
    int (*send)(const void *, size_t, int, int, Communicator, cudaStream_t);
    int (*recv)(void *, size_t, int, int, Communicator, cudaStream_t);
    int (*group_start)();
    int (*group_end)();
};

int rank, ranks;
Shared *shared;
Nccl nccl;
Communicator comm;
cudaStream_t stream;
float *from, *into;

[[noreturn]] void fail(const char *what, const char *why) {
    fprintf(stderr, "nccl_perf: rank %d: %s: %s\n", rank, what, why);
    exit(1);
}

void cuda(cudaError_t status, const char *what) {
    if (status != cudaSuccess) fail(what, cudaGetErrorString(status));
}

void check(int status, const char *what) {
    if (status != 0) {
        char number[32];
        snprintf(number, sizeof number, "NCCL's error %d", status);
        fail(what, number);
    }
}

template <typename F> void bind(void *library, F &function, const char *name) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (function == nullptr) fail(name, "not in the library");
}

void load(const char *file) {
    void *library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) fail(file, dlerror());
    bind(library, nccl.version, "ncclGetVersion");
    bind(library, nccl.unique_id, "ncclGetUniqueId");
    bind(library, nccl.init_rank, "ncclCommInitRank");
    bind(library, nccl.destroy, "ncclCommDestroy");
    bind(library, nccl.all_reduce, "ncclAllReduce");
    bind(library, nccl.all_gather, "ncclAllGather");
    bind(library, nccl.reduce_scatter, "ncclReduceScatter");
    bind(library, nccl.broadcast, "ncclBroadcast");
    bind(library, nccl.reduce, "ncclReduce");
    bind(library, nccl.send, "ncclSend");
    bind(library, nccl.recv, "ncclRecv");
    bind(library, nccl.group_start, "ncclGroupStart");
    bind(library, nccl.group_end, "ncclGroupEnd");
}

// Without a deadline, as a rank that fails ends the others.
void barrier() {
    const int turn = shared->arrived.fetch_add(1) / ranks;
    while (shared->arrived.load() < (turn + 1) * ranks) usleep(20);
}

void all_to_all(size_t count) {
    const size_t part = count / ranks;
    for (int peer = 0; peer < ranks; peer++) {
        check(nccl.send(from + peer * part, part, nccl_float, peer, comm, stream), "ncclSend");
        check(nccl.recv(into + peer * part, part, nccl_float, peer, comm, stream), "ncclRecv");
    }
}

void send_recv(size_t count) {
    check(nccl.send(from, count, nccl_float, (rank + 1) % ranks, comm, stream), "ncclSend");
    check(nccl.recv(into, count, nccl_float, (rank + ranks - 1) % ranks, comm, stream), "ncclRecv");
}

void grouped(void (*calls)(size_t), size_t count) {
    check(nccl.group_start(), "ncclGroupStart");
    calls(count);
    check(nccl.group_end(), "ncclGroupEnd");
}

void call(const char *collective, size_t count) {
    const size_t part = count / ranks;
    if (!strcmp(collective, "all_reduce"))
        check(nccl.all_reduce(from, into, count, nccl_float, nccl_sum, comm, stream), collective);
    else if (!strcmp(collective, "all_gather"))
        check(nccl.all_gather(from, into, part, nccl_float, comm, stream), collective);
    else if (!strcmp(collective, "reduce_scatter"))
        check(nccl.reduce_scatter(from, into, part, nccl_float, nccl_sum, comm, stream), collective);
    else if (!strcmp(collective, "broadcast"))
        check(nccl.broadcast(from, into, count, nccl_float, 0, comm, stream), collective);
    else if (!strcmp(collective, "reduce"))
        check(nccl.reduce(from, into, count, nccl_float, nccl_sum, 0, comm, stream), collective);
    else if (!strcmp(collective, "alltoall"))
        grouped(all_to_all, count);
    else if (!strcmp(collective, "sendrecv"))
        grouped(send_recv, count);
    else
        fail(collective, "no such collective");
}

double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

double time_of(const char *collective, size_t count, int calls) {
    for (int i = 0; i < warmups; i++) call(collective, count);
    cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    barrier();
    const double begun = now();
    for (int i = 0; i < calls; i++) call(collective, count);
    cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    shared->microseconds[rank] = (now() - begun) / calls;
    barrier();
    double sum = 0;
    for (int i = 0; i < ranks; i++) sum += shared->microseconds[i];
    barrier();
    return sum / ranks;
}

int run(const char *label, size_t least, size_t most, int factor, int calls, char **collectives) {
    cuda(cudaSetDevice(rank), "cudaSetDevice");
    cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    cuda(cudaMalloc(&from, most), "cudaMalloc");
    cuda(cudaMalloc(&into, most), "cudaMalloc");
    cuda(cudaMemset(from, 0, most), "cudaMemset");
    if (rank == 0) check(nccl.unique_id(&shared->id), "ncclGetUniqueId");
    barrier();
    check(nccl.init_rank(&comm, ranks, shared->id, rank), "ncclCommInitRank");
    int version = 0;
    check(nccl.version(&version), "ncclGetVersion");
    if (rank == 0) printf("#%s,%d,NCCL %d\n", label, ranks, version);
    for (; *collectives != nullptr; collectives++)
        for (size_t bytes = least; bytes <= most; bytes *= factor) {
            const double microseconds = time_of(*collectives, bytes / sizeof(float), calls);
            if (rank == 0) printf("%s,%d,%s,%zu,%.2f\n", label, ranks, *collectives, bytes, microseconds);
        }
    check(nccl.destroy(comm), "ncclCommDestroy");
    return 0;
}

// Until all have ended well, or one has not: the others end with this process.
int wait_for(int children) {
    for (int status; children > 0; children--)
        if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return 1;
    return 0;
}

}

int main(int argc, char **argv) {
    if (argc < 9 || (ranks = atoi(argv[3])) < 1 || ranks > most_ranks || atoi(argv[6]) < 2 || atoi(argv[7]) < 1) {
        fprintf(stderr, "nccl_perf LIBRARY LABEL RANKS LEAST MOST FACTOR CALLS COLLECTIVE...\n");
        return 2;
    }
    void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("mmap", strerror(errno));
    shared = static_cast<Shared *>(memory);
    setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
    // CUDA does not outlive a fork: only children use it.
    for (rank = 0; rank < ranks; rank++)
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            load(argv[1]);
            exit(run(argv[2], strtoull(argv[4], nullptr, 0), strtoull(argv[5], nullptr, 0), atoi(argv[6]),
                atoi(argv[7]), argv + 8));
        }
    return wait_for(ranks);
}
