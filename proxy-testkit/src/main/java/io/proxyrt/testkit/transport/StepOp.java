/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.Ll128Lines;
import io.proxyrt.core.device.LlLines;

/**
 * A transfer, cut into slices.
 *
 * @param protocol   how steps travel
 * @param nsteps     of the op, a multiple of slice
 * @param slice      steps of a slice
 * @param chunk      steps of a chunk, a multiple of slice
 * @param sliceBytes user's bytes of every slice but the last
 */
record StepOp(Protocol protocol, int nsteps, int slice, int chunk, long sliceBytes) {
    /** Slices as large as they can be. */
    static StepOp of(DeviceConnection connection, Protocol protocol, int slice, int chunk, long bytes) {
        long stepBytes = connection.stepBytes(protocol);
        long sliceBytes = switch (protocol) {
            case LL -> LlLines.dataBytes(stepBytes);
            case LL128 -> Ll128Lines.dataBytes(stepBytes);
            case SIMPLE -> stepBytes * slice;
        };
        return of(protocol, slice, chunk, sliceBytes, bytes);
    }

    static StepOp of(Protocol protocol, int slice, int chunk, long sliceBytes, long bytes) {
        long slices = Math.max(1, (bytes + sliceBytes - 1) / sliceBytes);
        return new StepOp(protocol, Math.toIntExact(slices * slice), slice, chunk, sliceBytes);
    }
}
