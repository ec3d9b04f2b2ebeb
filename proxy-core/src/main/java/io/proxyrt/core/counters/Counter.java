/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

/** Every counter of a runtime. The ordinal is its place in the mapped file. Each has one writing thread. */
public enum Counter implements CounterLabel {
    /** Ops fetched from the lanes. Progress thread. */
    OPS_FETCHED("ops fetched", Kind.TOTAL),
    /** Ops that ended well. Progress thread. */
    OPS_COMPLETED("ops completed", Kind.TOTAL),
    /** Ops that ended with an error. Progress thread. */
    OPS_FAILED("ops failed", Kind.TOTAL),
    /** Those of them that did not end in time. Progress thread. */
    OPS_EXPIRED("ops expired", Kind.TOTAL),
    /** Those of them that their owner gave up. Progress thread. */
    OPS_CANCELLED("ops cancelled", Kind.TOTAL),
    /** Groups on the active list, or queued behind one. Progress thread. */
    ARGS_ACTIVE("groups active", Kind.GAUGE),
    /** Fetches that brought something. Progress thread. */
    APPEND_BATCHES("append batches", Kind.TOTAL),
    /** Passes over the active list. Progress thread. */
    PROGRESS_PASSES("progress passes", Kind.TOTAL),
    /** Passes in which nothing moved. Progress thread. */
    PROGRESS_IDLE_PASSES("idle passes", Kind.TOTAL),
    /** Longest time that 64 passes took while ops were active, in microseconds. Progress thread. */
    PROGRESS_WORST("worst 64 passes us", Kind.GAUGE),
    /** Bytes handed to the network. Progress thread. */
    NET_BYTES_SENT("net bytes sent", Kind.TOTAL),
    /** Bytes the network delivered. Progress thread. */
    NET_BYTES_RECEIVED("net bytes received", Kind.TOTAL),
    /** Messages the network took. Progress thread. */
    NET_ISENDS("isend", Kind.TOTAL),
    /** Receives the network took. Progress thread. */
    NET_IRECVS("irecv", Kind.TOTAL),
    /** isend or irecv refused for now. Progress thread. */
    NET_BACK_PRESSURE("net back-pressure", Kind.TOTAL),
    /** Calls that reached the service. Service thread. */
    RPC_CALLS("rpc calls", Kind.TOTAL),
    /** Calls answered with an error. Service thread. */
    RPC_ERRORS("rpc errors", Kind.TOTAL),
    /** Calls not answered yet. Service thread. */
    RPC_PENDING("rpc pending", Kind.GAUGE),
    /** Peers with a session. Service thread. */
    RPC_PEERS("rpc peers", Kind.GAUGE),
    /** Connections in any state. Service thread. */
    CONNECTIONS("connections", Kind.GAUGE),
    /** Peers with a session of the UDS thread. UDS thread. */
    UDS_PEERS("uds peers", Kind.GAUGE),
    /** File descriptors given to peers by GetFd. UDS thread. */
    UDS_FDS_SENT("uds fds sent", Kind.TOTAL),
    /** File descriptors that came by QueryFd. UDS thread. */
    UDS_FDS_RECEIVED("uds fds received", Kind.TOTAL),
    /** Requests for descriptors that were refused. UDS thread. */
    UDS_ERRORS("uds errors", Kind.TOTAL),
    /** Connections, and pools of slots, that have memory. Of the thread that sets them up; so are the bytes below. */
    MEMORY_ACCOUNTS("mem accounts", Kind.GAUGE),
    /** Bytes of control words. */
    MEMORY_CONTROL("mem control bytes", Kind.GAUGE),
    /** Bytes of connections' LL slots. */
    MEMORY_LL("mem LL bytes", Kind.GAUGE),
    /** Bytes of connections' LL128 slots. */
    MEMORY_LL128("mem LL128 bytes", Kind.GAUGE),
    /** Bytes of connections' Simple slots. */
    MEMORY_SIMPLE("mem Simple bytes", Kind.GAUGE),
    /** Bytes of slots that connections share. */
    MEMORY_SHARED_POOL("mem shared bytes", Kind.GAUGE),
    /** Bytes that lie ready for connections. */
    MEMORY_IDLE("mem idle bytes", Kind.GAUGE),
    /** First failure: a {@link io.proxyrt.core.ProxyResult} code, 0 for none. Of the thread that fails first. */
    ASYNC_RESULT("async result", Kind.GAUGE);

    /** How a counter moves. */
    public enum Kind {
        /** Only grows; its rate is of interest. */
        TOTAL,
        /** Goes up and down. */
        GAUGE
    }

    private final String label;
    private final Kind kind;

    Counter(String label, Kind kind) {
        this.label = label;
        this.kind = kind;
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public Kind kind() {
        return kind;
    }
}
