/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.CollNetSupport;
import java.util.Arrays;

/** Subs of an op that make one call of the network for each step. Progress thread. */
final class CollNetGroup {
    /** Place among the groups of the op. */
    int index;
    /** Index of the first sub. */
    int first;
    /** Index behind the last sub. */
    int end;
    /** Send: of a call, by slot; 0 for none. */
    final long[] requests = new long[DeviceConnection.STEPS];
    /** Send: bytes that the network delivers here, by slot. */
    final long[] delivered = new long[DeviceConnection.STEPS];

    CollNetGroup begin(int newIndex, int nsubs) {
        index = newIndex;
        first = newIndex * CollNetSupport.GROUP_CHANNELS;
        end = Math.min(first + CollNetSupport.GROUP_CHANNELS, nsubs);
        Arrays.fill(requests, 0);
        return this;
    }
}
