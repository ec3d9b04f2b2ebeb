/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.agent.Agent;
import java.time.Duration;

/**
 * The wire side of the UDS thread: a Unix-domain socket that listens, and its sessions. Its duty cycle accepts, reads
 * and answers; {@link #park(long)} waits for any of its sockets. Modelled on RCCL's {@code ncclProxyServiceUDS}, but
 * with connected sockets, so that nothing is lost and a peer that leaves is noticed.
 */
public interface UdsEndpoint extends Agent {
    /**
     * Where it listens.
     *
     * @return a path, or the name of an abstract socket behind an {@code @}
     */
    String address();

    /**
     * Which implementation this is, and why not the other, for {@code proxyrt info}.
     *
     * @return one line
     */
    String describe();

    /**
     * Whether processes of a user may have a session here. Any thread.
     *
     * @param uid number of the user
     * @return true for the own one and for those that the configuration names
     */
    boolean admits(int uid);

    /**
     * Where the thread that serves this sleeps elsewhere: has it woken when there is something to serve, by a thread
     * that does nothing else. Once, before it is served.
     *
     * @param sleeper ends the sleep; any thread
     */
    void wakeBy(Runnable sleeper);

    /**
     * Opens a session with the UDS thread of a proxy of this host, this one or another rank's. Blocks. Any thread.
     *
     * @param address where that one listens
     * @param timeout for being accepted
     * @param driver  run again and again while this waits, where the caller drives the other side; else null
     * @return owned by the caller
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#REMOTE_ERROR} if none listens there
     *                                        or the session is refused, {@link io.proxyrt.core.ProxyResult#TIMEOUT}
     */
    UdsClient connect(String address, Duration timeout, Runnable driver);

    /**
     * Ends the sessions that were opened here and those that are just being opened, whose peers may never answer; no
     * more can be. Those of peers go on. Does not block. Any thread; idempotent.
     */
    void endClients();

    /**
     * Peers with an accepted session. Any thread.
     *
     * @return how many
     */
    int peers();
}
