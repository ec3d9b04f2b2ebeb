/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import java.util.Arrays;

/**
 * One channel: this rank's place in a ring.
 *
 * @param channel        from 0
 * @param prev           whom it receives from
 * @param next           whom it sends to
 * @param recv           kernels' end of the connection from prev
 * @param recvConnection its id
 * @param send           kernels' end of the connection to next
 * @param sendConnection its id
 */
record Ring(int channel, int prev, int next, DeviceConnection recv, long recvConnection, DeviceConnection send,
        long sendConnection) {
    long stepBytes(Protocol protocol) {
        return send.stepBytes(protocol);
    }

    static DeviceConnection[] recv(Ring[] rings) {
        return Arrays.stream(rings).map(Ring::recv).toArray(DeviceConnection[]::new);
    }

    static DeviceConnection[] send(Ring[] rings) {
        return Arrays.stream(rings).map(Ring::send).toArray(DeviceConnection[]::new);
    }
}
