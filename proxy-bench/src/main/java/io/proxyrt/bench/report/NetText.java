/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;


/** What the report on the NET transport says besides figures. */
final class NetText {
    /** With places for minutes, seconds and rounds. */
    static final String HEAD = """
            # The NET transport beside its peers

            ```
            ./proxyrt bench net
            ```

            writes this page, its plots, and `net.csv` with every single value, which is not kept in the
            repository; it took %d min %d s. Each measurement runs in processes of its own, after warming
            up. The contenders of a group take turns, in each of %d rounds another goes first, so that
            drift meets all of them. Figures are medians over the rounds with [least..most]; **ours** are
            bold. What counts is the ratio of two figures of one group; absolute times belong to this
            machine.
            """;
    static final String ROUND_TRIP = """
            Two processes, one message at a time there and back; both ends look again and again, on the first and the
            second CPU of the process. C sends and receives just the bytes, over one non-blocking socket. Ours is
            `irecv`, `isend` and `test` of the socket network on two connections, one each way, with a header for
            each message; the number in its first and last eight bytes is checked. Each time has two clock readings in
            it. `proxyrt-nio` reads and writes through the JDK's channels alone; by default small messages are peeked
            at, and taken out of the socket, which is when TCP acknowledges them, a little later. On C's one socket
            acknowledgements ride on the answers. `c-zerocopy` and `c-io_uring` show what an engine of `MSG_ZEROCOPY`
            or of an io_uring could gain at best: over a loopback device the one copies all the same and reports each
            send besides, the other is another way to the same calls. The socket network has neither.
            """;
    static final String STREAM = """
            Eight messages in flight from one process to the other, each with a buffer of its own on both sides, tested
            in order; numbers are checked as they come, and a checksum over the last eight at the end. In C each
            message in turn is cut into one part per socket of at least 64 KiB, and one thread a side moves all parts
            as far as they go; `c-1-buffer` sends each message from, and receives it into, the same place, which
            stays in the cache. `c-1-reno` takes TCP's reno instead of the host's congestion control, as ours does
            between processes of one host: bbr paces what is sent. GB are 10^9 bytes, counted by the receiver.
            """;
    static final String MANUAL = """
            Helper threads of each end × sockets of each (or of the caller, where there are no threads), beside the
            automatic choice:
            """;
    static final String POLL = """
            So many connections from another process, each with a receive outstanding: each is asked for itself by
            `test`, or all of them at once by `testBatch`, which asks the selector first if eight or more wait. What
            counts as one is the order to the other process to send, until what it sends is there.
            """;
    static final String ALL_REDUCE = """
            Sums of floats between processes of this host, over TCP: `proxyrt perf all_reduce` with its data check,
            an average over many calls; `MPI_Allreduce` with `--mca pml ob1 --mca btl tcp,self` on the loopback
            device, and Gloo's default algorithm, the mean of batches. Out of place unless it says otherwise. The
            calls of ours and of MPI move through memory of the largest size of their part, as in nccl-tests: 256 KiB
            for all up to that, 4 MiB for two ranks from 512 KiB on, else the largest; Gloo's stay in one place.
            """;

    private NetText() {
    }
}
