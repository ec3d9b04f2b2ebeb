/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.RpcPlan;

/** What the report on the control plane says besides figures. */
final class RpcText {
    /** With places for minutes, seconds and rounds. */
    static final String HEAD = """
            # The control plane beside its peers

            ```
            ./proxyrt bench rpc
            ```

            writes this page, its plot, and `rpc.csv` with every single value, which is not kept in the
            repository; it took %d min %d s. Each measurement runs in processes of its own, after warming
            up. The contenders of a group take turns, in each of %d rounds another goes first, so that
            drift meets all of them. Figures are medians over the rounds with [least..most]; **ours** are
            bold. What counts is the ratio of two figures of one group; absolute times belong to this
            machine, above all what it costs there to wake a CPU that sleeps.
            """;
    static final String CALL = """
            A client of another process sends 64 bytes to a service and waits until it has them back, one call at a
            time. Ours are whole calls: `BlockingClient.call` on the calling thread, frames with ids, an authenticated
            session, a handler that echoes, and a service thread with the settings that it has by default unless `how`
            says otherwise. By default that thread looks for a tenth of a millisecond before it sleeps, so between calls
            that follow at once it stays awake, where a server in poll() sleeps; with `proxyrt-parking` it sleeps at
            once. The calling thread is pinned to the first CPU of the process, the server's or the service's thread to
            the second one, in C as in ours (whose JVMs' other threads are not); the scheduler places those that are
            `-unpinned`, and may put both on one CPU, which saves it from waking another. Each time has two clock
            readings in it.
            """;
    static final String GET_FD = """
            One piece of memory (a sealed memfd) of another process: from the request until the descriptor is there and
            closed again. C sends 168 bytes and gets 8 and the descriptor by `SCM_RIGHTS`, over a connected stream
            socket, pinned as above. Ours is `UdsClient.getFd` in an authenticated session with a UDS thread whose
            handler duplicates the descriptor, over the sockets of junixsocket or of the platform, pinned likewise.
            """;
    static final String MANY = """
            Asynchronous calls: one thread sends 64 bytes at a time to a service in another JVM that echoes them, keeps
            256 futures outstanding, and waits for the oldest; its own runtime's service thread completes them.
            Connections: Init, Setup and Connect of each, of which Setup and Connect are pending for a turn, between two
            runtimes of one JVM that was just started; half of the clients call one after the other, half send all at
            once.
            """;
    static final String NOTHING = """
            CPU time of threads, from `ThreadMXBean`. The Setup is driven again and again, with back-off, and never
            done. The idle runtime has a progress, a service and a UDS thread, and the NET transport.
            """;
    static final String ATTACK = """
            One client calls as above, over TCP, placed by the scheduler as everything here; by turns it is alone and in
            company. Calls that follow each other at once seldom meet an attack, for one that has to wait counts once,
            however long it waits; calls a millisecond apart meet the service as it is at any moment. The company is a
            process that, one after the other, connects and leaves, sends 96 random bytes, leaves connections half-open,
            silent or with half a hello, up to the 128 that the service puts up with by default, and tries to open
            sessions with a wrong secret. It uses at most %d %% of one CPU: it sleeps as long as its process, compiler
            and collector included, has used more since the attack began. Before anything is timed it attacks without
            that limit, so that the service knows the work. What the service spends on it comes on top. Another such
            process only computes, half a millisecond at a time, and never looks at the service: what calls suffer
            beside that one is the machine's doing. So is what a server in C suffers from the same strangers: it sleeps
            in poll(), hears its good client first in each pass, and spends no cryptography on the others.
            """.formatted(RpcPlan.ATTACKERS_PERCENT);

    private RpcText() {
    }


    /** How the two ends of a round trip wait. */
    static String how(String contender) {
        if (contender.endsWith(RpcPlan.UNPINNED)) {
            return how(contender.substring(0, contender.length() - RpcPlan.UNPINNED.length()))
                    + ", placed by the scheduler";
        }
        return switch (contender) {
            case RpcPlan.C_POLL -> "client blocks, server in poll()";
            case RpcPlan.C_SPIN -> "both ends spin";
            case RpcPlan.C_NCCL -> "6 sends, 2 answers; client spins, server in poll()";
            case RpcPlan.OURS + RpcPlan.PARKING -> "client blocks, service thread sleeps at once";
            case RpcPlan.OURS + RpcPlan.TLS -> "defaults, TLS";
            case RpcPlan.JUNIX -> "defaults, junixsocket";
            case RpcPlan.NATIVE -> "defaults, platform's sockets";
            case RpcPlan.JUNIX + RpcPlan.SPIN -> "both ends spin, junixsocket";
            case RpcPlan.NATIVE + RpcPlan.SPIN -> "both ends spin, platform's sockets";
            default -> contender.endsWith(RpcPlan.SPIN) ? "both ends spin" : "defaults";
        };
    }
}
