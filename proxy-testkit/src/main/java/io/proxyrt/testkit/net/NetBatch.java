/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetPlugin;

/** Requests of several comms that are tested together; those that are over leave. */
final class NetBatch {
    private final NetPlugin net;
    private final NetComm[] comms;
    private final long[] requests;
    private final int[] results;
    private final long[][] sizes;
    private int n;

    NetBatch(NetPlugin net, int capacity) {
        this.net = net;
        this.comms = new NetComm[capacity];
        this.requests = new long[capacity];
        this.results = new int[capacity];
        this.sizes = new long[capacity][net.properties(0).maxRecvs()];
    }

    void add(NetComm comm, long request) {
        comms[n] = comm;
        requests[n++] = NetPair.checked(comm, request);
    }

    boolean isEmpty() {
        return n == 0;
    }

    void test() {
        int over = net.testBatch(n, comms, requests, results, sizes);
        int left = 0;
        for (int i = 0; i < n; i++) {
            if (NetPair.checked(comms[i], results[i]) == 0) {
                comms[left] = comms[i];
                requests[left++] = requests[i];
            }
        }
        assertEquals(n - left, over);
        n = left;
    }
}
