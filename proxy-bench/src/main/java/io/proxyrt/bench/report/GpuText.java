/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

/** The words of the report on GPUs. */
final class GpuText {
    static final String HEAD = """
            # Benchmark of the GPU path

            Made by `proxyrt bench gpu`, in %d min %d s. Figures are medians over %d rounds, with [least..most].
            """;
    static final String PING_PONG = """
            A kernel stores a word in pinned memory of the host, after the fence that a slot's data would need; a thread
            answers with another word, and the kernel looks until it sees it. The kernel's own clock tells the time:
            what a proxy's turn takes at least. A look takes the bus a microsecond, whatever it finds; the first one
            of a kernel that looks at once is too early, and what it waits for is seen by the second.
            """;
    static final String ONE_WAY = """
            Messages from one rank to the other, queued back to back, 4 GiB or 200 of them, until the last is received:
            so much that what the slots hold of a sender who starts sooner counts for little. Two ranks are two
            processes with a GPU each; with one GPU only, two threads that share it. `-p2p` is kernels that reach into
            the other GPU, `-p2p_ce` the sender's proxy and its copy engine, `-shm` slots in the host's memory, `-net`
            sockets over the loopback device. NCCL's figures are of the same boot, with the same settings of its own.
            """;
    static final String BOTH_WAYS = """
            Each rank sends and receives at once; GB/s are those of one direction.
            """;
    static final String ALL_REDUCE = """
            Sums of floats, out of place. With two ranks the bandwidth of the bus is that of the algorithm.
            """;

    private GpuText() {
    }
}
