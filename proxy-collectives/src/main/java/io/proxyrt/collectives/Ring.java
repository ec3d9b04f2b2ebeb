/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.Ll128Lines;
import io.proxyrt.core.device.LlLines;
import io.proxyrt.core.runtime.ConnectionEnd;
import java.util.Arrays;

/**
 * One channel: this rank's place in a ring.
 *
 * @param channel from 0
 * @param recv    connection from the predecessor
 * @param send    connection to the successor
 */
record Ring(int channel, ConnectionEnd recv, ConnectionEnd send) {
    /** All ranks cut a collective alike, each by the steps of what it sends: so both its neighbours' are the same. */
    static Ring join(int channel, ConnectionEnd recv, ConnectionEnd send) {
        for (Protocol protocol : Protocol.values()) {
            long in = recv.device().stepBytes(protocol);
            long out = send.device().stepBytes(protocol);
            if (in != out) {
                throw new ProxyException(ProxyResult.INVALID_USAGE, "a ring's " + protocol + " steps have " + in
                        + " bytes from rank " + recv.peer() + " and " + out + " to rank " + send.peer() + ": where"
                        + " transports take turns, set their buffers alike, also p2p.memcpy.buffer.bytes");
            }
        }
        return new Ring(channel, recv, send);
    }

    int prev() {
        return recv.peer();
    }

    int next() {
        return send.peer();
    }

    boolean isDirect() {
        return !recv.needsProxy() && !send.needsProxy();
    }

    /** Whether a kernel reaches this rank's from at least one side. */
    boolean isPartlyDirect() {
        return !recv.needsProxy() || !send.needsProxy();
    }

    long stepBytes(Protocol protocol) {
        return send.device().stepBytes(protocol);
    }

    /** Bytes of the user that a step carries. */
    long dataBytes(Protocol protocol) {
        return switch (protocol) {
            case LL -> LlLines.dataBytes(stepBytes(protocol));
            case LL128 -> Ll128Lines.dataBytes(stepBytes(protocol));
            case SIMPLE -> stepBytes(protocol);
        };
    }

    static DeviceConnection[] recv(Ring[] rings) {
        return Arrays.stream(rings).map(ring -> ring.recv.device()).toArray(DeviceConnection[]::new);
    }

    static DeviceConnection[] send(Ring[] rings) {
        return Arrays.stream(rings).map(ring -> ring.send.device()).toArray(DeviceConnection[]::new);
    }
}
