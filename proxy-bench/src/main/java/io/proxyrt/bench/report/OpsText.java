/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;


/** What the report says besides figures. */
final class OpsText {
    /** With places for minutes, seconds and rounds. */
    static final String HEAD = """
            # The ops pool and the progress engine beside their peers

            ```
            ./proxyrt bench ops
            ```

            writes this page, its plots, and `ops.csv` with every single value, which is not
            kept in the repository; it took %d min %d s. Ops have 192 bytes, are copied in and
            out, and at most 2,048 a producer are under way. Each measurement runs in a JVM of
            its own with the same harness, after warming up. The contenders of a group take
            turns, in each of %d rounds another goes first, so that drift meets all of them.
            Figures are medians over the rounds with [least..most]; **ours** are bold. What
            counts is the ratio of two figures of one group; absolute times belong to this
            machine.
            """;
    static final String CLOCK = """
            Times are differences of two clock readings, so each has about one reading in it: %s ns for
            `System.nanoTime()` here, whose smallest step is %s ns. The C program reads the time-stamp counter.
            """;
    static final String THROUGHPUT = """
            Producers post as fast as they can, and yield when there is no room; one consumer fetches at most 16 ops at
            a time, copies each out, checks its number, and yields when there are none. `c-mutex` is NCCL's and RCCL's
            own design in C with a consumer that polls (trylock, sched_yield), `c-mutex-sleeping` the same with one that
            sleeps on the condition variable; `lock-condition` is that design with Java's `ReentrantLock`. Agrona has no
            call that posts a batch. Disruptor has a ring of its own for one producer, and its poller takes all there is
            instead of 16. Where there are more threads than CPUs they take turns.
            """;
    static final String UNDER_LOAD = """
            What one post (of 1 or of 16 ops) costs its producer in the runs above; one in 64 is timed, waiting for room
            is left out.
            """;
    static final String RATE = """
            One producer posts at the beats of a clock, the consumer spins. Times "from the intended start" count from
            the beat, so that a post that is late because the one before it was slow counts in full (no coordinated
            omission); "the call alone" counts from when the post did start. `no-post` is the control: the same loop and
            the same spinning consumer, with a post that does nothing. Its times are the machine's and the clock's: a
            time slice that something else takes from the producer makes hundreds of beats late, whoever posts.
            """;
    static final String SCENARIOS = """
            What the description of RCCL's proxy that this project started from estimates, and what the C pool and ours
            show here. The mutex's share of posting time is that of lock, link, signal and unlock. Times are medians
            (p50) less what reading the clock costs.
            """;
    static final String IDLE = """
            One op every 100 µs: from just before its post until the consumer has copied it. Parked consumers wait in
            whatever way the contender has, or in `LockSupport.park`. `-awake` is with `cpu.latency=0`: idle CPUs turn
            in the kernel's idle loop, free for any thread, instead of going to sleep.
            """;
    static final String BURSTS = """
            Eight ops, 200 µs apart from the next eight, through our default pool; each op counts from its own post. The
            first sixth of a run does not count: until the system spreads them, both threads share one CPU. `-awake` is
            with `cpu.latency=0`; what the idle loop takes then is nobody's CPU time, but the host's. `-realtime` has
            `realtime.priority=1` besides, which is only for who sleeps: the kernel stops a thread with such a priority
            that spins, for 50 ms in each second.
            The programs in C exchange one word: `c-spin` looks at it all the time, `c-knows` sleeps 105 µs after each
            change, since it knows when the next one comes. So that is what the timers and the other threads of this
            machine leave to be had at half the CPU time.
            """;
    static final String RUNTIME = """
            A whole `ProxyState` with service and NET transport, no connection and nothing to do.
            """;
    static final String POOL = """
            JMH: append, post, fetch and complete by one thread.
            """;
    static final String PASS = """
            JMH: `ProgressAgent.doWork()` over ops that are under way, each on a connection of its own, and can't move:
            as in the NET transport a pass looks at the tail that the kernel would move. It also looks for posted ops.
            """;

    private OpsText() {
    }
}
