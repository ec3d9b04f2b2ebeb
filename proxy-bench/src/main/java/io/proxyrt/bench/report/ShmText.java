/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

/** The words of the report on the SHM transport. */
final class ShmText {
    static final String HEAD = """
            # Benchmark of the SHM transport

            Made by `./proxyrt bench shm`, in %d min %d s. Figures are medians over %d rounds, with [least..most].
            Contenders take turns within each round, each measurement in processes of its own, on the first and the
            second CPU. What is said of ours beside a peer is the median of the ratios of the rounds.
            """;
    static final String ROUND_TRIP = """
            A message to another process and back, again and again, through memory that both map. `proxyrt-ll`,
            `proxyrt-ll128` and `proxyrt-simple` are kernels of the host device that copy a message from the user's
            memory into a slot, and out of it at the other end: what the transport is capable of. `proxyrt` is `send`,
            `recv` and `synchronize` of a communicator: what an application gets. Open MPI is `MPI_Send` and `MPI_Recv`
            with `--mca btl vader,self` and without the system's copy from process to process; UCX is `ucx_perftest -t
            tag_lat` with `UCX_TLS=posix`, twice the one way. The number of a message of ours is checked.
            """;
    static final String STREAM = """
            A window of messages at a time, 4 MiB or 8 messages, 64 at most, all from one place and to one place, as
            benchmarks of MPI do it: with a cache that holds them, this is how fast data are copied in and out. Open MPI
            moves the messages of a window in turn, three fragments of 32 KiB of each, so here its copies find a cache
            at any size; ours go one after the other.
            `proxyrt-registered` is memory that the communicator allocated, `c-memcpy` one thread of C that copies once
            in shared memory. GB are 10^9 bytes, counted by the receiver.
            """;
    static final String APART = """
            The same, each message of a window from and to a place of its own, as those of an application are that are
            under way at once. That is 4 MiB at each end up to messages of 512 KiB, 8 MiB at 1 MiB and 32 MiB at 4 MiB:
            more than the second-level cache holds. `ucx_perftest` has no such mode.
            """;
    static final String COPY_ENGINE = """
            Steps that the sender's proxy copies from its kernel's buffer into the segment. The kernels on both sides
            move control words only, so that this is the proxy's part alone; `one-thread` is a thread in such a process
            that copies the same slots to memory of the same kind, and does nothing else, `c-memcpy` is the same in C,
            by the C library's memcpy. `proxyrt-by-thread` leaves no step to a stream.
            """;
    static final String ALL_REDUCE = """
            Sums of floats between processes of this host: `proxyrt perf all_reduce --transport SHM` with its data
            check, an average over many calls; `MPI_Allreduce` through shared buffers, with freed memory kept
            (`MALLOC_TRIM_THRESHOLD_` and its like), the mean of batches. Out of place unless it says otherwise. The
            calls of both move through memory of the largest size of their part, as in nccl-tests: 256 KiB for all up to
            that, 4 MiB for two ranks from 512 KiB on, else the largest of all. So small ones find a cache, and
            large ones don't.
            """;
    static final String OVERSUBSCRIBED = """
            Four ranks on fewer CPUs take turns: a rank that waits has to give its CPU to the one that it waits for, and
            that is a matter of the system's scheduler, a few µs each time, for small messages; large ones are bound by
            copying as before, of twice the data by the same CPUs.
            """;

    private ShmText() {
    }
}
