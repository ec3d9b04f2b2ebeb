/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.core.ProxyException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * Carries a communicator's launches out, one after the other: by the host's kernels, or by a GPU's. The communicator's
 * thread only, but for {@link #abort}. What is launched has been told to the proxy before; launching allocates nothing
 * once it is warm.
 */
interface KernelLauncher {
    /** Most launches that are not retired. */
    int capacity();

    /** Whether the kernels are there that some work needs. */
    boolean isLoaded(CollectiveWork work);

    /** Gets the kernels that some work needs. Blocks, and wants a stream that is idle, at all ranks. */
    void load(CollectiveWork work);

    /** What the next collective shall do; to be filled, then cut for every channel, then launched. */
    CollectiveWork work();

    /** How many channels share {@link #work}. All ranks find the same. */
    int channels();

    /** Cuts one channel's part of {@link #work}; the answer is good until the next call. */
    RingGeometry prepare(int channel, long offset, long bytes);

    /** Launches {@link #work}. */
    void launchCollective();

    /** Whether messages can go to a rank and come from it. */
    boolean isConnected(int peer);

    /** Connects with two ranks, which may be the same. Blocks until they do so too, each for the timeout at most. */
    void connect(int first, int second, Duration timeout);

    /** Forgets what the last message was. */
    void beginMessage();

    /** Adds a message in, and appends its ops. */
    void recv(long opCount, int peer, MemorySegment buffer);

    /** Adds a message out, and appends its ops. */
    void send(long opCount, int peer, MemorySegment buffer);

    /** Launches what was added since {@link #beginMessage}. */
    void launchMessage();

    /** Launches that are not retired. */
    long outstanding();

    /** Changes whenever data move. */
    long moves();

    /** What kernels wait for, as far as they tell; empty if they do not. */
    String waits();

    /**
     * Why what kernels wait for will never come, unless it is on its way: asked when nothing moves. Null where that is
     * not known, or kernels find out by themselves.
     */
    ProxyException whyHopeless();

    /** Why a kernel gave up; null if none did. */
    ProxyException failure();

    /** What was launched and not finished when it was aborted or closed; empty if nothing, or the runtime tells. */
    String abandoned();

    /** Does a part of the work, if the caller's thread runs kernels. */
    int doWork();

    /** Ends all kernels, those to come too. Any thread. */
    void abort();

    /** Ends all kernels and gives back what they need, once nothing is launched any more. Idempotent, bounded. */
    void close();
}
